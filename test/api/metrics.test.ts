import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from './support/poll-until.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** A scrape of the API and one of the worker show all of Trilho: API, worker, Temporal's SDK, and database counts. */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack?.close())

const scrapeEach = () =>
  Promise.all(
    [stack.local.api_url, stack.local.worker_url].map(async url => (await fetch(`${url}/metrics`)).text()),
  )

test('a paid charge with its webhook appears in every metric, and every alert and dashboard names an existing series', async () => {
  const merchant = await stack.createMerchant()
  const url = `${stack.local.inbox_url}/metrics-${merchant.uuid}`
  expect((await merchant.api.post('/api/v1/webhooks', { url })).status).toBe(201)
  const { uuid } = await merchant.api.createCharge()
  await merchant.api.carryOut('POST', `/api/v1/payments/${uuid}/cancel`)

  const unseen = async () => {
    const metricsText = (await scrapeEach()).join('')
    return EXPECTED_SERIES.filter(pattern => !pattern.test(metricsText)).map(String)
  }
  await pollUntil(unseen, left => left.length === 0)
  const families = (await scrapeEach()).map(text =>
    [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!),
  )
  for (const names of families) expect(new Set(names).size).toBe(names.length)
  const described = new Set(families.flat())
  const files = ['alerts.yml', 'grafana/dashboards.ts'].map(one =>
    join(import.meta.dirname, '../../deploy', one),
  )
  const rules = (await Promise.all(files.map(file => readFile(file, 'utf8')))).join('\n')
  const asked = [...rules.matchAll(/\b(trilho_[a-z_]+|temporal_[a-z_]+)\b/g)].map(([name]) => name)
  const missing = asked.filter(
    name =>
      !described.has(name) &&
      !described.has(name.replace(/_(bucket|count)$/, '')) &&
      !ONLY_WHEN_IT_HAPPENS.has(name),
  )
  expect(asked.length).toBeGreaterThan(8)
  expect(missing).toEqual([])
})

const EXPECTED_SERIES = [
  /^trilho_http_request_seconds_count\{[^}]*route="\/api\/v1\/payments",method="POST",status="201"\} [1-9]/m,
  /^trilho_provider_call_seconds_count\{[^}]*operation="issueCharge",outcome="accepted"[^}]*\} [1-9]/m,
  /^trilho_webhook_attempts_total\{[^}]*outcome="delivered"[^}]*\} [1-9]/m,
  /^trilho_webhook_lag_seconds_count\{[^}]*\} [1-9]/m,
  /^temporal_workflow_completed\{[^}]*worker="[^}]*\} [1-9]/m,
  /^trilho_ledger_drift_cents 0$/m,
]

/** The SDK exports a failure metric only after the first failure. */
const ONLY_WHEN_IT_HAPPENS = new Set(['temporal_workflow_task_execution_failed'])
