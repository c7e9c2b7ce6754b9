import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { openCertificateAuthority } from '../../packages/simulator/certificates.ts'
import type { BenchStack } from './bench-stack.ts'

export type Receivers = Awaited<ReturnType<typeof openReceivers>>

/** When a webhook about a charge arrived, by `performance.now()`. */
type WebhookArrival = { chargeUuid: string; at: number }

/**
 * Endpoints of merchants by https, with a certificate that every process of the site trusts. They are in this process,
 * so that they cost none of the measured ones anything.
 */
export async function openReceivers({ stage }: BenchStack) {
  const authority = await openCertificateAuthority(stage.home.simulator)
  const { key, certificate: cert } = await authority.issueServerCertificate(['127.0.0.1'])
  const delays = new Map<string, number>()
  const arrivals: WebhookArrival[] = []
  const firstArrivals = new Map<string, number>()
  const waiting = new Map<string, (at: number) => void>()
  const server = createServer({ key, cert }, async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const delayMs = delays.get(request.url!)
    const end = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    if (delayMs === undefined) {
      const chargeUuid = JSON.parse(Buffer.concat(chunks).toString()).data?.uuid
      arrivals.push({ chargeUuid, at })
      if (!firstArrivals.has(chargeUuid)) firstArrivals.set(chargeUuid, at)
      waiting.get(chargeUuid)?.(at)
      end()
    } else setTimeout(end, delayMs).unref()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** An endpoint; one with a delay answers late and its webhooks are not recorded. */
    url(name: string, delayMs?: number): string {
      if (delayMs !== undefined) delays.set(`/${name}`, delayMs)
      return `https://127.0.0.1:${port}/${name}`
    },
    /** All recorded webhooks, in their order. */
    arrivals: arrivals as readonly WebhookArrival[],
    /** The moment of the first webhook about a charge; waits for it, and is undefined after the limit. */
    async waitFor(chargeUuid: string, limitMs = 120_000): Promise<number | undefined> {
      const known = firstArrivals.get(chargeUuid)
      if (known !== undefined) return known
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      waiting.set(chargeUuid, resolve)
      const timer = setTimeout(() => resolve(undefined), limitMs)
      return promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(chargeUuid)
      })
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
