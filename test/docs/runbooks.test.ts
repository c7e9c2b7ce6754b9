import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import Router from '@koa/router'
import type { ApiDependencies } from '../../src/api/app.ts'
import type { ApiRouter } from '../../src/api/http/route.ts'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'
import { ROOT } from './support/documents.ts'
import { alerts, codeBlocks, listPromqlErrors, runbooks } from './support/runbooks.ts'

/** Every alert has a runbook page, and what a page tells an operator to do exists. test/docs/documents.test.ts checks its commands. */

const HEADINGS = ['What it means', 'Look', 'Act', 'Over when']

test('every alert names its page, and every page belongs to an alert', () => {
  expect(alerts.length).toBeGreaterThan(20)
  expect(alerts.map(({ annotations }) => annotations.runbook).sort()).toEqual(
    runbooks.map(({ file }) => file).sort(),
  )
  for (const { alert, annotations } of alerts)
    expect(annotations.runbook).toBe(
      `docs/runbooks/${alert.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.md`,
    )
})

test.each(alerts)('the expression of $alert is PromQL', ({ expr }) => {
  expect(listPromqlErrors(expr)).toEqual([])
})

test('every alert says what happened, what to do first, and how urgent it is', () => {
  for (const { labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/\w/)
    expect(annotations.action).toMatch(/\w/)
  }
})

test('every alert names the page of the dashboard that acts, and that page is served', () => {
  const unserved = alerts.filter(({ annotations }) => !SERVED.has(annotations.dashboard))
  expect(unserved.map(({ alert }) => alert)).toEqual([])
})

test('docs/runbooks.md lists every page once, with the severity of its alert', async () => {
  const index = await readFile(join(ROOT, 'docs/runbooks.md'), 'utf8')
  const rows = [...index.matchAll(/^\| \[(\w+)\]\(runbooks\/([\w-]+\.md)\) \| (\w+) \|/gm)]
  const listed = rows.map(([, alert, page, severity]) => `${alert} docs/runbooks/${page} ${severity}`)
  expect(listed.sort()).toEqual(
    alerts
      .map(({ alert, labels, annotations }) => `${alert} ${annotations.runbook} ${labels.severity}`)
      .sort(),
  )
})

test('docs/production.md describes every metric of an alert, and links its page next to it', async () => {
  const lines = (await readFile(join(ROOT, 'docs/production.md'), 'utf8')).split('\n')
  const missing = alerts.filter(({ expr, annotations }) => {
    const named = expr.match(/(trilho|temporal)_[a-z_]+/g) ?? []
    const metrics = named.map(name => `\`${name.replace(/_(bucket|count|sum)$/, '')}\``)
    const link = `](${annotations.runbook.replace('docs/', '')})`
    return !lines.some(line => line.includes(link) && metrics.some(metric => line.includes(metric)))
  })
  expect(missing.map(({ alert }) => alert)).toEqual([])
})

describe.each(runbooks)('$file', runbook => {
  const { title, text } = runbook

  test('its heading is the alert, and its sections are the four of every page', () => {
    expect(text.match(/^#+ .*$/gm)).toEqual([`# ${title}`, ...HEADINGS.map(heading => `## ${heading}`)])
  })

  test('every dashboard page that it names is served', () => {
    const named = [...text.matchAll(/`(\/dashboard[\w/-]*)`/g)].map(([, path]) => path!)
    expect(named.filter(path => !SERVED.has(path))).toEqual([])
  })

  test('every search attribute and metric that it names exists', async () => {
    const attributes = new Set(Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name))
    expect((text.match(/Trilho[A-Z]\w+/g) ?? []).filter(name => !attributes.has(name))).toEqual([])
    const production = await readFile(join(ROOT, 'docs/production.md'), 'utf8')
    const metrics = [...text.matchAll(/`(trilho_[a-z_]+)`/g)].map(([, name]) => name!)
    expect(metrics.filter(name => !production.includes(`\`${name}\``))).toEqual([])
  })

  test('every Temporal command names its namespace', () => {
    const lines = codeBlocks(runbook, 'sh').flatMap(block => block.split('\n'))
    const wrong = lines.filter(
      line =>
        /^temporal (?!operator cluster)/.test(line) && !line.includes('--namespace "$TEMPORAL_NAMESPACE"'),
    )
    expect(wrong).toEqual([])
  })
})

/** Paths that the dashboard answers by GET, from its router, without a request. */
const SERVED = servedPaths()

function servedPaths(): Set<string> {
  const router = { koa: new Router(), described: [] } as unknown as ApiRouter
  const config = { publicUrl: 'https://localhost', temporal: {}, messengers: { smtp: null, sms: null } }
  const dependencies = { config } as ApiDependencies
  dashboardRoutes(router, dependencies)
  return new Set(
    router.koa.stack.filter(layer => layer.methods.includes('GET')).map(layer => String(layer.path)),
  )
}
