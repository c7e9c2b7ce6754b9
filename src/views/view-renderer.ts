import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { html, Markup } from './markup.ts'

export type ViewRenderer = { render(view: string, model: object): string }

/**
 * Creates the renderer of the templates in a folder; they share `src/views/page.eta` as the layout `@page`. It escapes every
 * value except markup made by our own code.
 */
export function createViewRenderer(folder: string): ViewRenderer {
  const eta = new Eta({
    views: folder,
    cache: true,
    autoEscape: true,
    autoTrim: ['nl', 'nl'],
    escapeFunction: escapeValue,
  })
  eta.loadTemplate('@page', readFileSync(join(import.meta.dirname, 'page.eta'), 'utf8'))
  return { render: (view, model) => eta.render(`./${view}`, model) }
}

function escapeValue(value: unknown): string {
  if (value instanceof Markup) return value.text
  if (value === null || value === undefined || value === false) return ''
  return html`${String(value)}`.text
}
