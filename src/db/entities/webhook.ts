import { defineEntity } from '@mikro-orm/core'
import type { EventType, SubscribableEventType } from '../../domain/webhooks/webhook.ts'
import { primaryKeyColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

const event = defineEntity({
  name: 'Event',
  properties: p => ({
    uuid: primaryKeyColumn(),
    accountUuid: uuidColumn(),
    connectionUuid: uuidColumn().nullable(),
    type: unionColumn<EventType>(),
    subjectUuid: uuidColumn(),
    sequence: p.integer(),
    /** The resource as its GET showed it when the state changed. */
    body: p.json<Record<string, unknown>>(),
    /** The subject of the life that starts its deliveries. */
    lifeUuid: uuidColumn(),
    requestId: textColumn(),
    createdAt: timestampColumn(),
  }),
})

/** Something that happened, written in the transaction in which it happened. */
export class Event extends event.class {}
event.setClass(Event)

/** `until` is ISO 8601, UTC. */
export type PreviousSigningSecret = { sealed: string; until: string }

/** What a webhook was when it was created, with its first token. */
export type WebhookCreation = { url: string; events: SubscribableEventType[]; token: string }

const webhook = defineEntity({
  name: 'Webhook',
  properties: p => ({
    uuid: primaryKeyColumn(),
    accountUuid: uuidColumn(),
    url: textColumn(),
    sealedToken: textColumn(),
    maskedToken: textColumn(),
    /** Replaced by a rotation; each signs as well until its time is over. The newest first. */
    previousTokens: p.json<PreviousSigningSecret[]>().onCreate(() => []),
    events: p.array<SubscribableEventType>().columnType('text[]'),
    /** Of what it hears: of simulators or of real providers; null of one that is older than this, which hears of both. */
    mode: unionColumn<'live' | 'test'>().nullable(),
    status: unionColumn<'ACTIVE' | 'DISABLED'>().default('ACTIVE'),
    disabledReason: textColumn().nullable(),
    lastSuccessAt: timestampColumn().nullable(),
    failingSince: timestampColumn().nullable(),
    deletedAt: timestampColumn().nullable(),
    fingerprint: textColumn(),
    /** What its POST answered, a Creation; null of one that is older than this. */
    sealedCreation: textColumn().nullable().lazy(),
    /** Counts its test events. */
    sequence: p.integer().default(0),
    createdAt: timestampColumn().onCreate(() => new Date()),
  }),
})

/** An endpoint of an account that hears of its events. */
export class Webhook extends webhook.class {}
webhook.setClass(Webhook)

const delivery = defineEntity({
  name: 'Delivery',
  properties: p => ({
    uuid: primaryKeyColumn(),
    webhookUuid: uuidColumn(),
    /** A relation, so that an event is written before its deliveries. */
    eventUuid: () => p.manyToOne(Event).mapToPk().name('event_uuid'),
    status: unionColumn<'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED'>().default('PENDING'),
    tries: p.integer().default(0),
    /** How many tries there were when it was last sent from the beginning of the schedule. */
    roundFrom: p.integer().default(0),
    nextTryAt: timestampColumn().nullable(),
    /** When its life is woken from outside unless it has moved by itself; PostgreSQL sets it for a new one. */
    wakeAt: timestampColumn().nullable(),
    createdAt: timestampColumn().onCreate(() => new Date()),
    updatedAt: timestampColumn()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  }),
})

/** One event on its way to one endpoint; a workflow of its own carries it. */
export class Delivery extends delivery.class {}
delivery.setClass(Delivery)

const deliveryAttempt = defineEntity({
  name: 'DeliveryTry',
  properties: p => ({
    deliveryUuid: p.uuid().primary(),
    number: p.integer().primary(),
    statusCode: p.integer().nullable(),
    failure: textColumn().nullable(),
    durationMs: p.integer(),
    answer: textColumn().default(''),
    at: timestampColumn(),
  }),
})

/** One try of a delivery, with what the endpoint answered. */
export class DeliveryAttempt extends deliveryAttempt.class {}
deliveryAttempt.setClass(DeliveryAttempt)
