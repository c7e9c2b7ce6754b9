import { Marked } from 'marked'
import { Markup } from '../../views/markup.ts'

/** A rendered document and its headings for navigation. */
export type RenderedMarkdown = { text: Markup; headings: { id: string; title: Markup }[] }

/**
 * Renders a repository document from Markdown. Drops comments, which are for the tests that run its commands, and
 * turns links between documents into links between pages.
 */
export function renderMarkdown(markdown: string): RenderedMarkdown {
  const headings: RenderedMarkdown['headings'] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = toHeadingId(title)
        if (depth === 2) headings.push({ id, title: new Markup(title) })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      html: () => '',
    },
    walkTokens(token) {
      if (token.type === 'link') token.href = toPageUrl(token.href)
      if (token.type === 'image') token.href = token.href.replace(/^.*?images\//, '/docs/images/')
    },
  })
  const text = marked
    .parse(markdown, { async: false })
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table class="rows">')
    .replaceAll('</table>', '</table></div>')
  return { text: new Markup(addRowAnchors(text)), headings }
}

/** Derives a heading id as GitHub does, so that one link fits both. The title is escaped. */
function toHeadingId(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/&#?\w+;|[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** Gives the first row about a code or variable its name as an anchor. */
function addRowAnchors(text: string): string {
  const terms = new Set<string>()
  return text.replaceAll(/<tr>(?=\s*<td><code>([^<]+)<\/code><\/td>)/g, (row, term: string) => {
    if (terms.has(term)) return row
    terms.add(term)
    return `<tr id="${term}">`
  })
}

/** Converts `docs/errors.md#codes` and `../README.md` to page addresses. */
function toPageUrl(href: string): string {
  const [, name, anchor = ''] = /^(?:[\w.]+\/)*([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return name === undefined ? href : `/docs/${name.toLowerCase()}${anchor}`
}
