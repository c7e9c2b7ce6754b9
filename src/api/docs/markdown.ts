import { createRequire } from 'node:module'
import { dirname, join } from 'node:path/posix'
import { Marked } from 'marked'
import { html, Markup } from '../../views/markup.ts'
import { DECISIONS, DOCUMENTS, RUNBOOKS } from './documents.ts'
import { GUIDE_PHRASES, type GuidePhrases, guidePath } from './guide-pages.ts'

/** A heading of a rendered document. Its title is escaped. */
type RenderedHeading = { id: string; title: Markup; depth: number }

/** A rendered document and its headings of the second and third level, for navigation. */
export type RenderedMarkdown = { text: Markup; headings: RenderedHeading[] }

/**
 * Renders a repository document from Markdown. Drops comments, which are for the tests that run its commands, and
 * turns links between documents, relative to the file, into links between pages. A block of code whose language is
 * followed by `fold=Title` is folded under that title.
 */
export function renderMarkdown(
  markdown: string,
  { file, phrases = GUIDE_PHRASES.en }: { file: string; phrases?: GuidePhrases },
): RenderedMarkdown {
  const headings: RenderedHeading[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = toHeadingId(title)
        const text = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1 id="${id}">${text}</h1>\n`
        if (depth <= 3) headings.push({ id, title: new Markup(title), depth })
        const anchor = `<a class="anchor" href="#${id}" aria-label="${phrases.section}: ${title}">#</a>`
        return `<h${depth} id="${id}">${text}${anchor}</h${depth}>\n`
      },
      code: ({ text, lang = '' }) => {
        const [, language = '', fold] = /^(\S*)(?: fold=(.+))?$/.exec(lang) ?? []
        const block = renderCode(text, language, phrases)
        return fold ? `<details><summary>${fold}</summary>\n${block}</details>\n` : block
      },
      html: () => '',
      // Of a document that is no page: its text.
      link({ href, tokens }) {
        return href === '' ? this.parser.parseInline(tokens) : false
      },
    },
    walkTokens(token) {
      if (token.type === 'link') token.href = toPageUrl(token.href, file)
      if (token.type === 'image') token.href = token.href.replace(/^.*?images\//, '/docs/images/')
    },
  })
  const text = marked
    .parse(markdown, { async: false })
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table class="rows">')
    .replaceAll('</table>', '</table></div>')
  return { text: new Markup(addRowAnchors(text)), headings }
}

/** Renders a block of code; its button copies it, and is shown by the script of the page. */
function renderCode(code: string, language: string, { copy, copied }: GuidePhrases): string {
  const button = html`<button type="button" class="copy" data-copied="${copied}" hidden>${copy}</button>`.text
  const text = highlightCode(code, CODE_LANGUAGES[language] ?? language)
  // A block of code scrolls, so that a keyboard must reach it.
  const pre = `<pre tabindex="0"><code class="language-${language}">${text}\n</code></pre>`
  return `<div class="code">${language === 'text' ? '' : button}${pre}</div>\n`
}

const CODE_LANGUAGES: Record<string, string> = { sh: 'bash', js: 'javascript', ts: 'typescript' }

/** Derives a heading id as GitHub does, so that one link fits both. The title is escaped. */
export function toHeadingId(title: string): string {
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

/** Paths of the documents with a page of their own, by their files. */
const PAGE_PATHS = new Map([...DOCUMENTS, ...DECISIONS, ...RUNBOOKS].map(({ file, path }) => [file, path]))

/**
 * Converts `docs/errors.md#codes`, `../README.md` and `charges.md` of the guide to page addresses; empty for a document
 * that is no page.
 */
function toPageUrl(href: string, file: string): string {
  const [, path, anchor = ''] = /^((?:[\w.-]+\/)*[\w-]+\.md)(#.*)?$/.exec(href) ?? []
  if (path === undefined) return href
  const target = join(dirname(file), path)
  const [, language, name] = /^docs\/guide\/(\w+)\/([\w-]+)\.md$/.exec(target) ?? []
  const pagePath = language && name ? guidePath(language, name) : PAGE_PATHS.get(target)
  return pagePath === undefined ? '' : pagePath + anchor
}

/** The part of highlight.js in use. Its own types declare the globals of browsers for the whole program. */
type Highlighter = {
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string }): { value: string }
}

const highlighter: Highlighter = createRequire(import.meta.url)('highlight.js/lib/common')

/** Marks the parts of code by `hljs-…` classes, and escapes it. Code of another language is only escaped. */
function highlightCode(code: string, language: string): string {
  return highlighter.getLanguage(language)
    ? highlighter.highlight(code, { language }).value
    : html`${code}`.text
}
