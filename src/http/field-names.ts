import type { z } from 'zod'

/** Names of request fields, by their schemas. */

type AnyZodSchema = z.core.$ZodType

/** Removes the nulls of optional fields from a value: there null means absent. */
export function omitOptionalNulls(schema: AnyZodSchema, value: unknown): unknown {
  const at = unwrapSchema(schema)
  if (Array.isArray(value) && at._zod.def.type === 'array') {
    const { element } = at._zod.def as z.core.$ZodArrayDef
    return value.map(item => omitOptionalNulls(element, item))
  }
  const shape = getObjectShape(at)
  if (!shape || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, inner]) => inner !== null || !Object.hasOwn(shape, name) || !isOptionalSchema(shape[name]!),
      )
      .map(([name, inner]) => [
        name,
        Object.hasOwn(shape, name) ? omitOptionalNulls(shape[name]!, inner) : inner,
      ]),
  )
}

function isOptionalSchema({ _zod: { def } }: AnyZodSchema): boolean {
  return def.type === 'optional' || def.type === 'default' || def.type === 'prefault'
}

/** Lists the field names of an object schema, or of the one at a path in it. */
export function listFieldNames(schema: AnyZodSchema, path: readonly PropertyKey[] = []): string[] {
  let at: AnyZodSchema | undefined = unwrapSchema(schema)
  for (const step of path) {
    const { def } = at!._zod
    const inner: AnyZodSchema | undefined =
      def.type === 'array' ? (def as z.core.$ZodArrayDef).element : getObjectShape(at!)?.[String(step)]
    if (!inner) return []
    at = unwrapSchema(inner)
  }
  return Object.keys(getObjectShape(at!) ?? {})
}

function getObjectShape({ _zod: { def } }: AnyZodSchema): Record<string, AnyZodSchema> | undefined {
  return def.type === 'object' ? (def as z.core.$ZodObjectDef).shape : undefined
}

/** Returns the input schema inside optional, default and transform wrappers. */
function unwrapSchema(schema: AnyZodSchema): AnyZodSchema {
  const { def } = schema._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrapSchema((def as z.core.$ZodOptionalDef).innerType)
    case 'pipe': {
      const { in: input, out: output } = def as z.core.$ZodPipeDef
      return unwrapSchema(input._zod.def.type === 'transform' ? output : input) // Of `z.preprocess`.
    }
    default:
      return schema
  }
}
