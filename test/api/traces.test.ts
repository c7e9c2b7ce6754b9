import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Stack, startStack } from '../support/stack.ts'
import { pollUntil } from './support/poll-until.ts'
import { openTestStack, type TestStack } from './support/test-stack.ts'
import { readHistory } from './support/workflow-history.ts'

/** With a trace collector, one request can be followed to the provider and back. */

type Span = { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes: unknown[] }

const spans: Span[] = []
const collector = createServer(async (request, response) => {
  const { resourceSpans } = JSON.parse(await text(request))
  for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
  response.end('{}')
})

let stack: Stack
let testStack: TestStack
beforeAll(async () => {
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  stack = await startStack({ timeScale: 50, environment: { TRILHO_OTLP_URL: `http://127.0.0.1:${port}` } })
  testStack = await openTestStack(stack.home)
})
afterAll(async () => {
  await testStack?.close()
  expect(await stack?.stop()).toBe(0)
  collector.close()
})

const WANTED = [
  'POST /api/v1/payments',
  'StartActivity:issueCharge',
  'RunActivity:issueCharge',
  'PROVIDER_A issueCharge',
]

test('a charge creation is one trace: request, update, workflow, activity, provider call', async () => {
  const merchant = await testStack.createMerchant()
  const named = (traceId: string) => spans.filter(span => span.traceId === traceId).map(span => span.name)

  /** Returns the trace of a charge once all its spans are exported. */
  const traceCharge = async (digit: string): Promise<string> => {
    const traceId = digit.repeat(32)
    const { status, body } = await merchant.api.post(
      '/api/v1/payments',
      { value: 10, type: 'PIX' },
      {
        headers: {
          traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
          tracestate: 'shop=state-of-the-caller',
          baggage: 'customer.name=baggage-of-the-caller',
        },
      },
    )
    expect(status).toBe(201)
    const { text: history } = await readHistory(testStack, `charge/${body.data.uuid}`)
    expect(history).toContain(traceId)
    expect(history).not.toContain('of-the-caller')
    await pollUntil(
      () => named(traceId),
      names => WANTED.every(name => names.includes(name)),
      { limitMs: 60_000 },
    )
    return traceId
  }

  // A process that stands still for longer than an export may take loses the spans of that export, not those of the next.
  const traceId = await traceCharge('a').catch(() => traceCharge('c'))

  // The workflow's own span ends with the workflow; the spans so far are connected already.
  const byId = new Map(spans.map(span => [span.spanId, span]))
  const ancestors = (span: Span | undefined): string[] =>
    span ? [span.name, ...ancestors(byId.get(span.parentSpanId ?? ''))] : []
  const call = spans.find(span => span.name === 'PROVIDER_A issueCharge' && span.traceId === traceId)
  expect(ancestors(call)).toEqual([
    'PROVIDER_A issueCharge',
    'RunActivity:issueCharge',
    'StartActivity:issueCharge',
  ])
  expect(JSON.stringify(spans)).not.toContain(merchant.token)
})
