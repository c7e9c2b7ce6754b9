import { z } from 'zod'

/** Schemas of the fields of providers' answers. A field that no outcome depends on counts as absent where it is unreadable. */

/** A field that decides nothing: null, or a value of another type, counts as absent. */
export function optionalField<T>(schema: z.ZodType<T>) {
  return schema.nullish().catch(null)
}

export const optionalText = optionalField(z.string())

/** Parses RFC 3339 with any offset to ISO 8601 UTC. */
export const requiredInstant = z.iso
  .datetime({ offset: true })
  .transform(text => new Date(text).toISOString())

export const optionalInstant = optionalField(requiredInstant)
