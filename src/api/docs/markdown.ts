import { Marked, type Tokens } from 'marked'
import { html, Markup } from './html.ts'

/** A rendered document and its headings for navigation. */
export type RenderedMarkdown = { text: Markup; headings: Heading[] }
type Heading = { id: string; title: string }

/**
 * Renders a repository document from Markdown. Drops comments, which are for the tests that run its commands, and
 * turns links between documents into links between pages.
 */
export function renderMarkdown(markdown: string): RenderedMarkdown {
  const headings: Heading[] = []
  const terms = new Set<string>()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = toHeadingId(title)
        if (depth === 2) headings.push({ id, title: unescapeEntities(title) })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return html`<a href="${toPageUrl(href)}">${new Markup(this.parser.parseInline(tokens))}</a>`.text
      },
      image({ href, text }) {
        const url = href.replace(/^(?:docs\/|\.\.\/)?images\//, '/docs/images/')
        return html`<img src="${url}" alt="${text}">`.text
      },
      code({ text, lang }) {
        const said = lang === 'text' && html` class="said"`
        return html`<pre tabindex="0"${said}><code>${text}</code></pre>`.text
      },
      table({ header, rows }) {
        const cell = ({ tokens }: Tokens.TableCell) => new Markup(this.parser.parseInline(tokens))
        // On a phone a table row becomes a block in which each value shows its column's name.
        const value = (one: Tokens.TableCell, column: number) =>
          html`<td data-column="${header[column]?.text}">${cell(one)}</td>`
        return html`<div class="wide" tabindex="0"><table>
<thead><tr>${header.map(one => html`<th scope="col">${cell(one)}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr${placeOf(row[0])}>${row.map(value)}</tr>\n`)}</tbody>
</table></div>`.text
      },
      html: () => '',
    },
  })
  const text = new Markup(marked.parse(markdown, { async: false }))
  return { text, headings }

  /** Finds the anchor of a row about one code or variable. */
  function placeOf(cell: Tokens.TableCell | undefined): Markup | false {
    const [only, ...others] = cell?.tokens ?? []
    if (only?.type !== 'codespan' || others.length > 0 || terms.has(only.text)) return false
    terms.add(only.text)
    return html` id="${only.text}"`
  }
}

/** Derives a heading id as GitHub does, so that one link fits both. */
function toHeadingId(title: string): string {
  return unescapeEntities(title)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** Converts `docs/errors.md#codes` and `../README.md` to page addresses. */
function toPageUrl(href: string): string {
  const [, name, anchor = ''] = /^(?:[\w.]+\/)*([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return name === undefined ? href : `/docs/${name.toLowerCase()}${anchor}`
}

/** Unescapes entities: the parser's heading text is already escaped. */
function unescapeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
