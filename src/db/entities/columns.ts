import { p } from '@mikro-orm/core'

/** Column types that the entities share. */

export const uuidColumn = () => p.uuid()
export const idColumn = () => p.uuid().primary()
/** Integer centavos: a safe integer in JavaScript, a bigint in PostgreSQL. */
export const centsColumn = () => p.bigint('number')
/** A moment in UTC. */
export const timestampColumn = () => p.datetime().columnType('timestamptz')
export const textColumn = () => p.text()
/** Text column of a string union. */
export const unionColumn = <T extends string>() => p.text().$type<T>()
