import { randomUUID } from 'node:crypto'
import { Agent } from 'undici'
import { buildSignatureHeaders, generateSigningSecret } from '../../../src/webhook-client/signature.ts'
import { callMany } from '../callers.ts'

/** What the benchmark asks of the loop. */
export type WebhookLoopRequest = { urls: string[]; body: string; count: number; concurrency: number }
/** `times`: of each request, in ms. */
export type WebhookLoopResult = { times: number[]; elapsedMs: number; cpuMs: number }

/** The floor under deliveries: signs the same body and posts it over kept connections; it stores nothing. */
process.once('message', async ({ urls, body, count, concurrency }: WebhookLoopRequest) => {
  const agent = new Agent({ connections: concurrency })
  const secret = generateSigningSecret()
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const times = await callMany(count, concurrency, async place => {
    const sentAt = performance.now()
    const { origin, pathname } = new URL(urls[place % urls.length]!)
    const headers = buildSignatureHeaders({ id: randomUUID(), at: new Date(), body, secrets: [secret] })
    const response = await agent.request({
      origin,
      path: pathname,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    await response.body.dump()
    return performance.now() - sentAt
  })
  const { user, system } = process.cpuUsage(cpu)
  const result: WebhookLoopResult = {
    times,
    elapsedMs: performance.now() - began,
    cpuMs: (user + system) / 1_000,
  }
  await agent.close()
  process.send?.(result)
  process.disconnect()
})
