import { marked } from 'marked'
import { toHeadingId } from './markdown.ts'

/** A section of a page, as the search of the browser indexes it. */
export type SearchSection = { id: number; title: string; page: string; url: string; text: string }
type Searched = { title: string; path: string; markdown: string }
type SearchedOperation = { operationId: string; summary: string; method: string; path: string }

/** Lists the sections of pages, and the operations of the API reference, for the search. */
export function listSearchSections(pages: Searched[], operations: SearchedOperation[], reference: string) {
  const sections: Omit<SearchSection, 'id'>[] = [
    ...pages.flatMap(splitIntoSections),
    ...operations.map(({ operationId, summary, method, path }) => ({
      title: summary,
      page: reference,
      url: `/docs/reference#operation/${operationId}`,
      text: `${operationId} ${method.toUpperCase()} ${path}`,
    })),
  ]
  return sections.map((section, id): SearchSection => ({ id, ...section }))
}

function splitIntoSections({ title: page, path, markdown }: Searched): Omit<SearchSection, 'id'>[] {
  const sections = [{ title: page, page, url: path, text: '' }]
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading' && token.depth > 1 && token.depth <= 3) {
      const title = toPlainText(token.text)
      sections.push({ title, page, url: `${path}#${toHeadingId(title)}`, text: '' })
    } else if (token.type !== 'heading') {
      const section = sections.at(-1)!
      section.text = `${section.text} ${toPlainText(token.raw)}`.trim()
    }
  }
  return sections
}

/** Removes comments, link targets, fences, table lines and marks from Markdown. */
function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->|^```\w*$|^\|[ |:-]+\|$/gm, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|>]|^#+ /gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
