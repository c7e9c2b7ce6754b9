import { marked, type Tokens } from 'marked'
import { toHeadingId } from './markdown.ts'
import { REFERENCE_PATH } from './reference.ts'

/** A section of a page, as the search of the browser indexes it. */
export type SearchSection = { id: number; title: string; page: string; url: string; text: string }
type Searched = { title: string; path: string; markdown: string }
type SearchedOperation = { operationId: string; summary: string; method: string; path: string }

/** Lists the sections of pages, and the operations of the API reference, for the search. */
export function listSearchSections(pages: Searched[], operations: SearchedOperation[], reference: string) {
  const sections: FoundSection[] = [
    ...pages.flatMap(splitIntoSections),
    ...operations.map(({ operationId, summary, method, path }) => ({
      title: summary,
      page: reference,
      url: `${REFERENCE_PATH}#${toHeadingId(summary)}`,
      text: `${operationId} ${method.toUpperCase()} ${path}`,
    })),
  ]
  return sections.map((section, id): SearchSection => ({ id, ...section }))
}

type FoundSection = Omit<SearchSection, 'id'>

/** Splits a page at its headings. The first row about a code or field, which has an anchor, is a section of its own. */
function splitIntoSections({ title: page, path, markdown }: Searched): FoundSection[] {
  let section: FoundSection = { title: page, page, url: path, text: '' }
  const sections = [section]
  const terms = new Set<string>()
  const addText = (text: string) => {
    section.text = `${section.text} ${toPlainText(text)}`.trim()
  }
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading' && token.depth > 1 && token.depth <= 3) {
      const title = toPlainText(token.text)
      section = { title, page, url: `${path}#${toHeadingId(title)}`, text: '' }
      sections.push(section)
    } else if (token.type === 'table') {
      for (const [first, ...others] of (token as Tokens.Table).rows) {
        const [, term = ''] = /^`([^`]+)`$/.exec(first?.text ?? '') ?? []
        const text = others.map(cell => cell.text).join(' ')
        if (term === '' || terms.has(term)) addText(`${first?.text} ${text}`)
        else
          sections.push({
            title: term,
            page,
            url: `${path}#${encodeURIComponent(term)}`,
            text: toPlainText(text),
          })
        terms.add(term)
      }
    } else if (token.type !== 'heading') addText(token.raw)
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
