/** Renders a table in Markdown. */
export function renderTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** Replaces the tables of a document, each between the markers of its name: `<!-- made: name -->` and `<!-- end -->`. */
export function replaceMadeTables(document: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- made: ${name} -->)[\\s\\S]*?(<!-- end -->)`),
        (_, open: string, end: string) => `${open}\n\n${table}\n\n${end}`,
      ),
    document,
  )
}
