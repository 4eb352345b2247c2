"""Reads what the example `write_formats` has written with pyarrow, and compares every bit.

    python benchmarks/peers/read_export.py DIRECTORY

Needs a Python environment with pyarrow (`pip install pyarrow`). Exit code 0 if all formats
agree, 1 if one does not, 2 if there is nothing to read.
"""

import pathlib
import struct
import sys

import pyarrow
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

NAMES = ["time", "value", "count", "member", "alive", "mode"]


def read_csv(path):
    types = {
        "time": pyarrow.float64(),
        "value": pyarrow.float64(),
        "count": pyarrow.int64(),
        "member": pyarrow.uint32(),
        "alive": pyarrow.bool_(),
        "mode": pyarrow.string(),
    }
    # Without this, pyarrow takes the text NaN for a missing value.
    options = pyarrow.csv.ConvertOptions(column_types=types, null_values=[])
    return pyarrow.csv.read_csv(path, convert_options=options)


READERS = {
    "rows.csv": read_csv,
    "rows.arrow": lambda path: pyarrow.ipc.open_file(path).read_all(),
    "rows.parquet": pyarrow.parquet.read_table,
}


def expected(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    labels = lines[0].split("|")
    rows = []
    for line in lines[1:]:
        time, value, count, member, alive, mode = line.split()
        rows.append((time, value, int(count), int(member), alive == "1", labels[int(mode)]))
    return rows


def bits(number):
    return struct.pack(">d", number).hex()


def found(table):
    if table.column_names != NAMES:
        raise ValueError(f"columns are {table.column_names}, not {NAMES}")
    nulls = sum(column.null_count for column in table.columns)
    if nulls:
        raise ValueError(f"{nulls} missing values, none were written")
    columns = [column.to_pylist() for column in table.columns]
    columns[0] = map(bits, columns[0])
    columns[1] = map(bits, columns[1])
    return list(zip(*columns))


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    directory = pathlib.Path(sys.argv[1])
    present = [name for name in READERS if (directory / name).exists()]
    if not present or not (directory / "expected.txt").exists():
        print(f"nothing to read in {directory}; run the example write_formats first")
        return 2
    rows = expected(directory / "expected.txt")
    failed = 0
    for name in present:
        table = READERS[name](directory / name)
        read = found(table)
        wrong = [row for row, pair in enumerate(zip(read, rows)) if pair[0] != pair[1]]
        agrees = len(read) == len(rows) and not wrong
        failed += not agrees
        unit = (table.schema.field("time").metadata or {}).get(b"unit", b"none").decode()
        kind = table.schema.field("mode").type
        print(f"{name}: {len(read)} rows, {len(wrong)} differ, unit of time {unit}, mode is {kind}")
        if wrong:
            print(f"  row {wrong[0]}: read {read[wrong[0]]}, written {rows[wrong[0]]}")
    print(f"pyarrow {pyarrow.__version__}: {len(present) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
