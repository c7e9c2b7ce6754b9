import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

/** Minified, which is less than half: the browser is sent it, and compiles it, for each page anew. */
const AXE_SCRIPT = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

type AxeViolation = { id: string; impact: string; nodes: { html: string }[] }

/** Returns what axe finds on a page, by all of its rules or by those named. The code runs in the page, so it is text. */
export async function findViolations(page: Page, rules?: string[]): Promise<AxeViolation[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE_SCRIPT)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  return page.evaluate<AxeViolation[]>(`axe.run(${options}).then(results => results.violations)`)
}
