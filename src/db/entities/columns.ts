import { p } from '@mikro-orm/core'

/** The column kinds that every table shares. */

export const uuidColumn = () => p.uuid()
export const primaryKeyColumn = () => p.uuid().primary()
/** Integer centavos; a safe integer in JavaScript, a bigint in PostgreSQL. */
export const centsColumn = () => p.bigint('number')
/** A moment in UTC. */
export const timestampColumn = () => p.datetime().columnType('timestamptz')
export const textColumn = () => p.text()
/** A text that only takes the names of a union. */
export const unionColumn = <T extends string>() => p.text().$type<T>()
