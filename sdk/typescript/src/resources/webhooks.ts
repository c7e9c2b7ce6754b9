import type { Body, Call, CallOptions, Filters, KeyedCallOptions, Message } from '../call.ts'
import type { Delivery, Webhook } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Endpoints that receive events, and the deliveries to them. */
export const createWebhooks = (call: Call) => ({
  /** Registers an endpoint. Its signing secret, `token`, is shown whole only here and by `rotateToken`. */
  create: (body: Body<'createWebhook'>, options?: KeyedCallOptions): Promise<Webhook> =>
    call('createWebhook', { body }, options),
  /** Lists the endpoints, a page of them. */
  list: defineList<'listWebhooks', Webhook>((query, options) => call('listWebhooks', { query }, options)),
  /** Iterates over all endpoints. */
  listAll: (query?: Filters<'listWebhooks'>, options?: CallOptions): AsyncGenerator<Webhook> =>
    iterateList(query, page => call('listWebhooks', { query: page }, options)),
  /** Reads an endpoint. */
  get: (uuid: string, options?: CallOptions): Promise<Webhook> =>
    call('getWebhook', { path: { uuid } }, options),
  /** Changes what is named of an endpoint. */
  update: (uuid: string, body: Body<'updateWebhook'>, options?: CallOptions): Promise<Webhook> =>
    call('updateWebhook', { path: { uuid }, body }, options),
  /** Removes an endpoint. After a lost response its repeat may be a `not_found`. */
  delete: (uuid: string, options?: CallOptions): Promise<Message> =>
    call('deleteWebhook', { path: { uuid } }, options),
  /** Replaces the signing secret. For 24 hours the one before it signs as well. */
  rotateToken: (uuid: string, body?: Body<'rotateWebhookToken'>, options?: CallOptions): Promise<Webhook> =>
    call('rotateWebhookToken', { path: { uuid }, body }, options),
  /** Sends a TEST event. */
  test: (uuid: string, options?: CallOptions): Promise<Delivery> =>
    call('testWebhook', { path: { uuid } }, options),
  /** Lists the deliveries of an endpoint with each attempt, a page of them. */
  listDeliveries: defineList<'listWebhookDeliveries', Delivery, [uuid: string]>((uuid, query, options) =>
    call('listWebhookDeliveries', { path: { uuid }, query }, options),
  ),
  /** Iterates over all deliveries of an endpoint that match. */
  listAllDeliveries: (
    uuid: string,
    query?: Filters<'listWebhookDeliveries'>,
    options?: CallOptions,
  ): AsyncGenerator<Delivery> =>
    iterateList(query, page => call('listWebhookDeliveries', { path: { uuid }, query: page }, options)),
  /** Sends the event of a delivery again. */
  resendDelivery: (uuid: string, delivery: string, options?: CallOptions): Promise<Delivery> =>
    call('resendWebhookDelivery', { path: { uuid, delivery } }, options),
  /** Sends every event since then that the endpoint has missed. */
  recover: (uuid: string, body: Body<'recoverWebhook'>, options?: CallOptions): Promise<Message> =>
    call('recoverWebhook', { path: { uuid }, body }, options),
})
export type Webhooks = ReturnType<typeof createWebhooks>
