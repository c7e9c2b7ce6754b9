import { p } from '@mikro-orm/core'

/** The column kinds that every table shares. */

export const uuid = () => p.uuid()
export const key = () => p.uuid().primary()
/** Integer centavos; a safe integer in JavaScript, a bigint in PostgreSQL. */
export const cents = () => p.bigint('number')
/** A moment in UTC. */
export const moment = () => p.datetime().columnType('timestamptz')
export const text = () => p.text()
/** A text that only takes the names of a union. */
export const oneOf = <T extends string>() => p.text().$type<T>()
