import { defineEntity } from '@mikro-orm/core'
import type { EventType, SubscribedType } from '../../domain/webhook.ts'
import { key, moment, oneOf, text, uuid } from '../columns.ts'

const event = defineEntity({
  name: 'Event',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    connectionUuid: uuid().nullable(),
    type: oneOf<EventType>(),
    subjectUuid: uuid(),
    sequence: p.integer(),
    /** The resource as its GET showed it when the state changed. */
    body: p.json<Record<string, unknown>>(),
    /** The subject of the life that starts its deliveries. */
    lifeUuid: uuid(),
    requestId: text(),
    createdAt: moment(),
  }),
})

/** Something that happened, written in the transaction in which it happened. */
export class Event extends event.class {}
event.setClass(Event)

/** `until` is ISO 8601, UTC. */
export type PreviousToken = { sealed: string; until: string }

/** What a webhook was when it was created, with its first token. */
export type Creation = { url: string; events: SubscribedType[]; token: string }

const webhook = defineEntity({
  name: 'Webhook',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    url: text(),
    sealedToken: text(),
    maskedToken: text(),
    /** Replaced by a rotation; each signs as well until its time is over. The newest first. */
    previousTokens: p.json<PreviousToken[]>().onCreate(() => []),
    events: p.array<SubscribedType>().columnType('text[]'),
    /** Of what it hears: of simulators or of real providers; null of one that is older than this, which hears of both. */
    mode: oneOf<'live' | 'test'>().nullable(),
    status: oneOf<'ACTIVE' | 'DISABLED'>().default('ACTIVE'),
    disabledReason: text().nullable(),
    lastSuccessAt: moment().nullable(),
    failingSince: moment().nullable(),
    deletedAt: moment().nullable(),
    fingerprint: text(),
    /** What its POST answered, a Creation; null of one that is older than this. */
    sealedCreation: text().nullable().lazy(),
    /** Counts its test events. */
    sequence: p.integer().default(0),
    createdAt: moment().onCreate(() => new Date()),
  }),
})

/** An endpoint of an account that hears of its events. */
export class Webhook extends webhook.class {}
webhook.setClass(Webhook)

const delivery = defineEntity({
  name: 'Delivery',
  properties: p => ({
    uuid: key(),
    webhookUuid: uuid(),
    /** A relation, so that an event is written before its deliveries. */
    eventUuid: () => p.manyToOne(Event).mapToPk().name('event_uuid'),
    status: oneOf<'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED'>().default('PENDING'),
    tries: p.integer().default(0),
    /** How many tries there were when it was last sent from the beginning of the schedule. */
    roundFrom: p.integer().default(0),
    nextTryAt: moment().nullable(),
    /** When its life is woken from outside unless it has moved by itself; PostgreSQL sets it for a new one. */
    wakeAt: moment().nullable(),
    createdAt: moment().onCreate(() => new Date()),
    updatedAt: moment()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  }),
})

/** One event on its way to one endpoint; a workflow of its own carries it. */
export class Delivery extends delivery.class {}
delivery.setClass(Delivery)

const deliveryTry = defineEntity({
  name: 'DeliveryTry',
  properties: p => ({
    deliveryUuid: p.uuid().primary(),
    number: p.integer().primary(),
    statusCode: p.integer().nullable(),
    failure: text().nullable(),
    durationMs: p.integer(),
    answer: text().default(''),
    at: moment(),
  }),
})

/** One try of a delivery, with what the endpoint answered. */
export class DeliveryTry extends deliveryTry.class {}
deliveryTry.setClass(DeliveryTry)
