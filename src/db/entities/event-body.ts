import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Type } from '@mikro-orm/core'
import { EVENT_BODY_DICTIONARIES } from './event-body-dictionary.ts'

/** The resource as its GET showed it when the state changed. */
export type EventBody = Record<string, unknown>

/**
 * Compresses the body of an event for its column: the number of its dictionary in one byte, then deflate. Most of a body
 * is names of fields and facts about the account that every body repeats: the event of a paid charge takes 300 bytes
 * instead of 2,000, in 20 µs.
 */
export function compressEventBody(body: EventBody): Buffer {
  const number = EVENT_BODY_DICTIONARIES.length
  const dictionary = EVENT_BODY_DICTIONARIES[number - 1]
  return Buffer.concat([Buffer.of(number), deflateRawSync(JSON.stringify(body), { dictionary })])
}

/** Restores a body with its fields in their order. Throws on what `compressEventBody` has not built. */
export function decompressEventBody(column: Uint8Array): EventBody {
  const dictionary = EVENT_BODY_DICTIONARIES[(column[0] ?? 0) - 1]
  if (!dictionary) throw new Error(`the body of an event has the unknown dictionary ${column[0]}`)
  return JSON.parse(inflateRawSync(column.subarray(1), { dictionary }).toString()) as EventBody
}

/** Column of an event's body. */
export class EventBodyType extends Type<EventBody, Buffer> {
  override convertToDatabaseValue(body: EventBody): Buffer {
    return compressEventBody(body)
  }

  override convertToJSValue(column: Buffer): EventBody {
    return decompressEventBody(column)
  }

  /** An event never changes: a body that is loaded is not compressed again to be compared. */
  override ensureComparable(): boolean {
    return false
  }

  override compareValues(): boolean {
    return true
  }

  override getColumnType(): string {
    return 'bytea'
  }
}
