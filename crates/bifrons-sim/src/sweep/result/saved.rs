//! Finished members in a checkpoint, and back.

use super::SweepResult;
use crate::checkpoint::{Reader, Writer};
use crate::report::MemberReport;

impl SweepResult {
    /// Writes the members that are finished: which, then the report and the rows of each.
    pub(in crate::sweep) fn save(&self, writer: &mut Writer) {
        let finished = |&member: &usize| self.reports[member].is_finished();
        let members: Vec<usize> = (0..self.reports.len()).filter(finished).collect();
        writer.words(members.iter().map(|&member| member as u64));
        for member in members {
            for word in self.reports[member].to_words() {
                writer.word(word);
            }
            let range = member * self.rows..(member + 1) * self.rows;
            for column in &self.columns {
                writer.numbers(&column[range.clone()]);
            }
            if !self.step_times.is_empty() {
                writer.numbers(&self.step_times[range]);
            }
        }
    }

    /// Reads what [`save`](Self::save) has written; `None` if it does not fit.
    pub(in crate::sweep) fn restore(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        for member in reader.words()? {
            let member = usize::try_from(member).ok()?;
            let report = self.reports.get_mut(member)?;
            let mut words = [0; 4];
            for word in &mut words {
                *word = reader.word()?;
            }
            *report = MemberReport::of_words(words)?;
            let range = member * self.rows..(member + 1) * self.rows;
            for column in &mut self.columns {
                reader.fill(&mut column[range.clone()])?;
            }
            if !self.step_times.is_empty() {
                reader.fill(&mut self.step_times[range])?;
            }
        }
        Some(())
    }
}
