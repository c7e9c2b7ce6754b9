import { createHash } from 'node:crypto'
import { html, type Markup } from './html.ts'
import { DOCS_STYLE, TRILHO_LOGO } from './style.ts'

/** A documentation page: its name, title, side content and text. */
export type DocumentationPage = {
  /** Path below `/docs`; empty for the reference itself. */
  name: string
  title: string
  contents: Markup
  main: Markup
}
export type PageLink = Pick<DocumentationPage, 'name' | 'title'>

/** Renders a page with its navigation: one file, no script, no external resource. */
export function renderDocumentationPage(
  { name, title, contents, main }: DocumentationPage,
  neighbours: PageLink[],
): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Trilho</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<nav aria-label="Documentation">
<a class="brand" href="/docs/readme">${TRILHO_LOGO}Trilho</a>
<details>
<summary>Contents</summary>
<ul class="pages">${neighbours.map(one => renderPageLink(one, name))}</ul>
${contents}
</details>
</nav>
<main id="content">
${main}
</main>
</body>
</html>
`
  return text
}

function renderPageLink({ name, title }: PageLink, current: string): Markup {
  const path = name === '' ? '/docs' : `/docs/${name}`
  return html`<li><a href="${path}"${name === current && html` aria-current="page"`}>${title}</a></li>`
}

const STYLE_HASH = createHash('sha256').update(DOCS_STYLE.text).digest('base64')

/** Content-Security-Policy of the pages: their one style and our own images, nothing else. */
export const DOCS_CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'`
