import { defineEntity, p } from '@mikro-orm/core'
import type { DeliveryStatus } from '../../domain/webhooks/delivery.ts'
import type { EventType, SubscribableEventType } from '../../domain/webhooks/webhook.ts'
import {
  createdAtColumn,
  orderAuthorColumns,
  timestampColumn,
  unionColumn,
  updatedAtColumn,
} from './columns.ts'

/** The resource as its GET showed it when the state changed. */
export type EventBody = Record<string, unknown>

const event = defineEntity({
  name: 'Event',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    connectionUuid: p.uuid().nullable(),
    type: unionColumn<EventType>(),
    subjectUuid: p.uuid(),
    sequence: p.integer(),
    body: p.json<EventBody>().columnType('json'),
    /** Subject of the workflow that starts its deliveries. */
    ownerUuid: p.uuid(),
    requestId: p.text(),
    createdAt: timestampColumn(),
  }),
})

/** A domain event, inserted in the transaction of its state change. */
export class Event extends event.class {}
event.setClass(Event)

/** `until` is ISO 8601, UTC. */
export type PreviousSigningSecret = { sealed: string; until: string }

/** The secret that signs now, and those that a rotation replaced; each of these still signs until its time is over. The newest first. */
export type SigningSecrets = {
  sealedSecret: string
  maskedSecret: string
  previousSecrets: PreviousSigningSecret[]
}

/** A webhook as it was created, with its first signing secret. */
export type WebhookCreation = { url: string; events: SubscribableEventType[]; token: string }

const signingSecretColumns = () => ({
  sealedSecret: p.text(),
  maskedSecret: p.text(),
  previousSecrets: p.json<PreviousSigningSecret[]>().onCreate(() => []),
})

const calloutSecret = defineEntity({
  name: 'CalloutSecret',
  properties: p => ({ uuid: p.uuid().primary(), ...signingSecretColumns(), createdAt: createdAtColumn() }),
})

/** What signs the call-outs of an account, whose uuid it has. */
export class CalloutSecret extends calloutSecret.class {}
calloutSecret.setClass(CalloutSecret)

const webhook = defineEntity({
  name: 'Webhook',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    url: p.text(),
    ...signingSecretColumns(),
    events: p.array<SubscribableEventType>().columnType('text[]'),
    /** Events it receives: of simulators or of real providers; null (created before modes existed): both. */
    mode: unionColumn<'live' | 'test'>().nullable(),
    status: unionColumn<'ACTIVE' | 'DISABLED'>().default('ACTIVE'),
    disabledReason: p.text().nullable(),
    lastSuccessAt: timestampColumn().nullable(),
    failingSince: timestampColumn().nullable(),
    deletedAt: timestampColumn().nullable(),
    fingerprint: p.text(),
    /** Sealed `WebhookCreation`, the response of its POST; null for webhooks created before this column. */
    sealedCreation: p.text().nullable().lazy(),
    /** Counts its test events. */
    sequence: p.integer().default(0),
    ...orderAuthorColumns(),
    createdAt: createdAtColumn(),
  }),
})

/** A merchant's endpoint that receives the events of an account. */
export class Webhook extends webhook.class {}
webhook.setClass(Webhook)

const delivery = defineEntity({
  name: 'Delivery',
  properties: p => ({
    uuid: p.uuid().primary(),
    webhookUuid: p.uuid(),
    /** A relation, so that MikroORM inserts an event before its deliveries. */
    eventUuid: () => p.manyToOne(Event).mapToPk().name('event_uuid'),
    /** Type of the event. */
    eventType: unionColumn<EventType>(),
    status: unionColumn<DeliveryStatus>().default('PENDING'),
    attemptCount: p.integer().default(0),
    /** Number of attempts before the current run of the retry schedule. */
    attemptsBeforeRun: p.integer().default(0),
    nextAttemptAt: timestampColumn().nullable(),
    /** When the sweep signals its workflow unless the delivery has changed by then; PostgreSQL sets it for a new row. */
    sweepAt: timestampColumn().nullable(),
    createdAt: createdAtColumn(),
    updatedAt: updatedAtColumn(),
  }),
})

/** Delivery of one event to one endpoint. */
export class Delivery extends delivery.class {
  /** Written by src/db/repositories/delivery-status.ts alone. */
  declare readonly status: DeliveryStatus
}
delivery.setClass(Delivery)

const deliveryAttempt = defineEntity({
  name: 'DeliveryAttempt',
  properties: p => ({
    deliveryUuid: p.uuid().primary(),
    number: p.integer().primary(),
    statusCode: p.integer().nullable(),
    failure: p.text().nullable(),
    durationMs: p.integer(),
    answer: p.text().default(''),
    at: timestampColumn(),
  }),
})

/** One attempt of a delivery, with the endpoint's response. */
export class DeliveryAttempt extends deliveryAttempt.class {}
deliveryAttempt.setClass(DeliveryAttempt)
