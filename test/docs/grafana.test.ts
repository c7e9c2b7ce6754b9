import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { buildDashboards } from '../../deploy/grafana/dashboards.ts'
import { ROOT } from './support/documents.ts'
import { alerts, listPromqlErrors } from './support/runbooks.ts'

/** The dashboards of deploy/grafana; test/docs/documents.test.ts holds that their metrics are exported. */

const dashboards = buildDashboards()
type Panel = {
  title: string
  fieldConfig: { defaults: { unit: string } }
  links: { title: string }[]
  targets: [{ expr: string }]
}
const panels: Panel[] = dashboards.flatMap(([, text]) => JSON.parse(text).panels)

test('are those of the table: npm run docs:tables', async () => {
  const folder = join(ROOT, 'deploy/grafana')
  const files = (await readdir(folder)).filter(file => file.endsWith('.json'))
  const written = files.map(async file => [file, await readFile(join(folder, file), 'utf8')])
  expect(Object.fromEntries(await Promise.all(written))).toEqual(Object.fromEntries(dashboards))
})

test('have a title and a unit for every panel, and queries in PromQL', () => {
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
  for (const { title, fieldConfig, targets } of panels) {
    expect(title).toMatch(/^[A-Z]/)
    expect(fieldConfig.defaults.unit).toMatch(/^(short|s|ms|ops|reqps|bytes|currencyBRL|bool_yes_no)$/)
    expect(listPromqlErrors(targets[0].expr)).toEqual([])
  }
})

test('group by labels that metrics have', async () => {
  const folder = join(ROOT, 'src/metrics')
  const files = (await readdir(folder)).map(file => readFile(join(folder, file), 'utf8'))
  const sources = (await Promise.all(files)).join('\n')
  const labels = panels.flatMap(
    ({ targets }) => /by \(([^)]*)\)/.exec(targets[0].expr)?.[1]?.split(', ') ?? [],
  )
  // Of Prometheus, and of Temporal's SDK.
  const others = ['le', 'instance', 'worker', 'failure_reason']
  expect(labels.filter(label => !others.includes(label) && !sources.includes(`'${label}'`))).toEqual([])
})

test('link every alert on a panel of what it reads', () => {
  const linked = new Set(panels.flatMap(({ links }) => links.map(({ title }) => title)))
  expect(alerts.map(({ alert }) => alert).filter(alert => !linked.has(alert))).toEqual([])
})
