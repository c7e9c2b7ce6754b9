import { createRequire } from 'node:module'
import { html } from '../../views/markup.ts'

/** The part of highlight.js in use. Its own types declare the globals of browsers for the whole program. */
type Highlighter = {
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string }): { value: string }
}

const highlighter: Highlighter = createRequire(import.meta.url)('highlight.js/lib/common')

/** Marks the parts of code by `hljs-…` classes, and escapes it. Code of another language is only escaped. */
export function highlightCode(code: string, language: string): string {
  return highlighter.getLanguage(language)
    ? highlighter.highlight(code, { language }).value
    : html`${code}`.text
}
