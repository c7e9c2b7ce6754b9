import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { RUNBOOKS } from '../../../src/api/docs/documents.ts'
import { ROOT } from './documents.ts'

/** A rule of deploy/alerts.yml. */
export type AlertRule = {
  alert: string
  expr: string
  labels: { severity: 'page' | 'ticket' }
  annotations: { summary: string; action: string; runbook: string; dashboard: string }
}

const rules: { groups: { rules: AlertRule[] }[] } = parse(
  readFileSync(join(ROOT, 'deploy/alerts.yml'), 'utf8'),
)
export const alerts: AlertRule[] = rules.groups.flatMap(group => group.rules)

export type Runbook = { file: string; title: string; text: string }

export const runbooks: Runbook[] = RUNBOOKS.map(({ file, title }) => ({
  file,
  title,
  text: readFileSync(join(ROOT, file), 'utf8'),
}))

/** The blocks of one language in a page, in their order. */
export function codeBlocks({ text }: Runbook, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code!,
  )
}

/** Lists the parts of a query that are no PromQL. */
export function listPromqlErrors(query: string): string[] {
  const wrong: string[] = []
  parser
    .parse(query)
    .iterate({ enter: node => void (node.type.isError && wrong.push(query.slice(node.from))) })
  return wrong
}
