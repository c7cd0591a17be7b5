/// Cells in columns: the first and the last are aligned left, the others right.
pub(super) fn align(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    // A line that breaks off ends in words, which no column has to make room for.
    let whole = || lines.iter().filter(|line| line.len() == columns);
    let width = |column: usize| whole().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, cell) in line.iter().enumerate() {
            let width = widths[column];
            if column > 0 {
                row.push_str("  ");
            }
            match column {
                0 => row.push_str(&format!("{cell:<width$}")),
                last if last + 1 == line.len() => row.push_str(cell),
                _ => row.push_str(&format!("{cell:>width$}")),
            }
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
