import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { attemptDelivery } from '../../../src/activities/webhooks/deliver.ts'
import {
  attemptFirstDeliveries,
  type FirstAttemptLimits,
} from '../../../src/activities/webhooks/first-attempts.ts'
import type { EventBody } from '../../../src/db/entities/webhook.ts'
import { createAddressPolicy } from '../../../src/webhook-client/address-policy.ts'
import { createWebhookClient, type WebhookClientOptions } from '../../../src/webhook-client/client.ts'
import { generateSigningSecret, maskSigningSecret } from '../../../src/webhook-client/signature.ts'
import {
  type CertificateAuthority,
  readBody,
  startMerchantServer,
} from '../../webhooks/support/merchant-server.ts'
import type { ApiFixture } from './api-fixture.ts'

type ScriptedResponse = {
  status: number
  headers?: Record<string, string>
  body?: string
  meanwhile?: () => Promise<unknown>
}
type ReceivedRequest = { headers: IncomingMessage['headers']; body: string }

/** An endpoint at a real server, its rows, and the activity that delivers to it. */
export async function openEndpointFixture(
  { world, ca }: { world: ApiFixture; ca: CertificateAuthority },
  {
    timeScale = 1,
    firstAttempts,
    ...dialing
  }: Partial<WebhookClientOptions> & {
    timeScale?: number
    firstAttempts?: Partial<FirstAttemptLimits>
  } = {},
) {
  const received: ReceivedRequest[] = []
  const answers: ScriptedResponse[] = []
  const listener: RequestListener = async (request, response) => {
    received.push({ headers: request.headers, body: await readBody(request) })
    const { status, headers, body, meanwhile } = answers.shift() ?? { status: 200 }
    await meanwhile?.()
    response.writeHead(status, headers).end(body)
  }
  const server = await startMerchantServer(ca, { names: ['hooks.test', '127.0.0.1'] }, listener)
  const policy = createAddressPolicy({ canReachLoopback: true })
  const resolve = async () => ['127.0.0.1']
  const webhooks = createWebhookClient({ policy, resolve, ca: [ca.pem], timeoutMs: 20_000, ...dialing })
  const { orm, sealer, log } = world.dependencies
  const dependencies = { orm, sealer, log, webhooks, timeScale } as ActivityDependencies
  const accountUuid = await world.insertAccount()
  const [uuid, secret] = [randomUUID(), generateSigningSecret()]
  await sql(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, ?, ?, ?, '{PAYMENT,MED}', '', now())`,
    [
      uuid,
      accountUuid,
      `https://hooks.test:${server.port}/in`,
      sealer.seal(secret),
      maskSigningSecret(secret),
    ],
  )
  function sql<Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> {
    return world.orm.em.fork().execute(query, values)
  }

  const story = {
    uuid,
    accountUuid,
    secret,
    dependencies,
    received,
    server,
    sql,
    /** Its responses, in order; 200 where none is given. */
    scriptResponses: (...some: ScriptedResponse[]) => void answers.push(...some),
    updateEndpoint: (columns: string, values: unknown[] = []) =>
      sql(`update webhook set ${columns} where uuid = ?`, [...values, uuid]),
    readEndpoint: async () =>
      (await sql<Record<string, unknown>>('select * from webhook where uuid = ?', [uuid]))[0]!,

    /** An event and its delivery to this endpoint. */
    async createEvent(type = 'PAYMENT', body: EventBody = { status: 'PAID', sequence: 1 }): Promise<string> {
      const [event, delivery] = [randomUUID(), randomUUID()]
      await sql(
        `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
         values (?, ?, ?, ?, 1, ?, ?, 'the request', now())`,
        [event, accountUuid, type, event, JSON.stringify(body), event],
      )
      await sql(
        `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, created_at, updated_at) values (?, ?, ?, 'PAYMENT', now(), now())`,
        [delivery, uuid, event],
      )
      return delivery
    },
    /** One run of the activity. */
    deliver: (deliveryUuid: string) => attemptDelivery(dependencies)({ deliveryUuid }),
    /** First attempts within a workflow task. */
    deliverFirst: attemptFirstDeliveries(dependencies, firstAttempts),
    /** Delivers one event by a first attempt, after which the endpoint is known as fast. */
    async becomeFast() {
      await story.deliverFirst([await story.createEvent()])
    },
    readDelivery: async (of: string) =>
      (await sql<Record<string, unknown>>('select * from delivery where uuid = ?', [of]))[0]!,
    updateDelivery: (of: string, columns: string) =>
      sql(`update delivery set ${columns} where uuid = ?`, [of]),
    readAttempts: (of: string) =>
      sql<Record<string, unknown>>(
        'select number, status_code, failure, answer from delivery_attempt where delivery_uuid = ? order by number',
        [of],
      ),
    async close() {
      await webhooks.close()
      await server.close()
    },
  }
  return story
}
