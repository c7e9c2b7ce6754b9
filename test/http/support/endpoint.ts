import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { deliver } from '../../../src/activities/deliveries.ts'
import type { Dependencies } from '../../../src/activities/dependencies.ts'
import { addressPolicy } from '../../../src/webhooks/addresses.ts'
import { type DialerOptions, webhookDialer } from '../../../src/webhooks/dial.ts'
import { maskedSecret, newSecret } from '../../../src/webhooks/signature.ts'
import { type Authority, farSide, textOf } from '../../webhooks/far-side.ts'
import type { World } from './world.ts'

type Answer = {
  status: number
  headers?: Record<string, string>
  body?: string
  meanwhile?: () => Promise<unknown>
}
type Received = { headers: IncomingMessage['headers']; body: string }

/** An endpoint at a real server, its rows, and the activity that delivers to it. */
export async function endpointStory(
  { world, ca }: { world: World; ca: Authority },
  { timeScale = 1, ...dialing }: Partial<DialerOptions> & { timeScale?: number } = {},
) {
  const received: Received[] = []
  const answers: Answer[] = []
  const listener: RequestListener = async (request, response) => {
    received.push({ headers: request.headers, body: await textOf(request) })
    const { status, headers, body, meanwhile } = answers.shift() ?? { status: 200 }
    await meanwhile?.()
    response.writeHead(status, headers).end(body)
  }
  const server = await farSide(ca, { names: ['hooks.test', '127.0.0.1'] }, listener)
  const policy = addressPolicy({ loopback: true })
  const resolve = async () => ['127.0.0.1']
  const webhooks = webhookDialer({ policy, resolve, ca: [ca.pem], timeoutMs: 20_000, ...dialing })
  const { orm, sealer } = world.dependencies
  const accountUuid = await world.account()
  const [uuid, secret] = [randomUUID(), newSecret()]
  await sql(
    `insert into webhook (uuid, account_uuid, url, sealed_token, masked_token, events, fingerprint, created_at)
     values (?, ?, ?, ?, ?, '{PAYMENT,MED}', '', now())`,
    [uuid, accountUuid, `https://hooks.test:${server.port}/in`, sealer.seal(secret), maskedSecret(secret)],
  )
  function sql<Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> {
    return world.orm.em.fork().execute(query, values)
  }

  const story = {
    uuid,
    accountUuid,
    secret,
    received,
    server,
    sql,
    /** How it answers, in order; 200 where nothing is said. */
    answers: (...some: Answer[]) => void answers.push(...some),
    set: (columns: string, values: unknown[] = []) =>
      sql(`update webhook set ${columns} where uuid = ?`, [...values, uuid]),
    read: async () =>
      (await sql<Record<string, unknown>>('select * from webhook where uuid = ?', [uuid]))[0]!,

    /** An event and its delivery to this endpoint. */
    async event(type = 'PAYMENT', body: object = { status: 'PAID', sequence: 1 }): Promise<string> {
      const [event, delivery] = [randomUUID(), randomUUID()]
      await sql(
        `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, life_uuid, request_id, created_at)
         values (?, ?, ?, ?, 1, ?, ?, 'the request', now())`,
        [event, accountUuid, type, event, JSON.stringify(body), event],
      )
      await sql(
        `insert into delivery (uuid, webhook_uuid, event_uuid, created_at, updated_at) values (?, ?, ?, now(), now())`,
        [delivery, uuid, event],
      )
      return delivery
    },
    /** One run of the activity. */
    deliver: (deliveryUuid: string) =>
      deliver({ orm, sealer, webhooks, timeScale } as Dependencies)({ deliveryUuid, timeScale }),
    delivery: async (of: string) =>
      (await sql<Record<string, unknown>>('select * from delivery where uuid = ?', [of]))[0]!,
    change: (of: string, columns: string) => sql(`update delivery set ${columns} where uuid = ?`, [of]),
    tries: (of: string) =>
      sql<Record<string, unknown>>(
        'select number, status_code, failure, answer from delivery_try where delivery_uuid = ? order by number',
        [of],
      ),
    async close() {
      await webhooks.close()
      await server.close()
    },
  }
  return story
}
