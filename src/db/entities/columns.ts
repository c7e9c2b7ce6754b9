import { p } from '@mikro-orm/core'

/** Column types that the entities share. */

/** Integer centavos: a safe integer in JavaScript, a bigint in PostgreSQL. */
export const centsColumn = () => p.bigint('number')
/** A moment in UTC. */
export const timestampColumn = () => p.datetime().columnType('timestamptz')
export const createdAtColumn = () => timestampColumn().onCreate(() => new Date())
export const updatedAtColumn = () => createdAtColumn().onUpdate(() => new Date())
/** Text column of a string union. */
export const unionColumn = <T extends string>() => p.text().$type<T>()

/** One entry of a resource's history, as the API shows it. */
export type HistoryEntry<Status extends string> = { status: Status; created_at: string }
/** Changes of a resource's public status, the oldest first. */
export const historyColumn = <Status extends string>() => p.json<HistoryEntry<Status>[]>()

/** A row of an account at a provider account. */
export const accountRowColumns = () => ({
  uuid: p.uuid().primary(),
  accountUuid: p.uuid(),
  providerAccountUuid: p.uuid(),
  createdAt: timestampColumn(),
  updatedAt: timestampColumn(),
})

/** Who has ordered a row: the API token of the request, or the user of the dashboard; both null where a provider reported it. */
export const orderAuthorColumns = () => ({
  tokenNumber: p.integer().nullable(),
  userUuid: p.uuid().nullable(),
})

/** A row that a request created, or the provider's report of a fact. */
export const requestedRowColumns = () => ({ ...accountRowColumns(), requestId: p.text() })
