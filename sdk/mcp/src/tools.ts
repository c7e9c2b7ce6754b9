import { type Access, listOfferedOperations, type OfferedOperation, SCHEMAS } from '@trilho/sdk/operations'

/** The tools of the server, one for each operation that is allowed; nothing here names an operation. */

type InputSchema = {
  type: 'object'
  properties: Record<string, object>
  required: string[]
  additionalProperties: false
  $defs?: Record<string, unknown>
}
export type Tool = {
  name: string
  title: string
  description: string
  inputSchema: InputSchema
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }
}

const KEY_SCHEMA = {
  type: 'string',
  pattern: '^[\\x20-\\x7e]{1,255}$',
  description:
    'Idempotency key: names this one operation, for example by the order that it belongs to. A repeat, also after an unknown outcome, has the same key and the same arguments; with another key money may move twice.',
}

/** Describes an operation as a tool. Its arguments are the parameters by name, `body`, and `idempotency_key`. */
export function describeTool(operation: OfferedOperation): Tool {
  const { id, summary, description, parameters, body, isKeyed, access } = operation
  const isRead = access === 'read'
  const properties = {
    ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    ...(body && { body: body.schema }),
    ...(isKeyed && { idempotency_key: KEY_SCHEMA }),
  }
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  // A body that is forgotten would be an operation of its own, such as the refund of all that is left.
  if (body) required.push('body')
  if (isKeyed) required.push('idempotency_key')
  return {
    name: id,
    title: summary,
    description: `${summary}. ${description}`,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required,
      ...embedDefinitions(properties),
    },
    annotations: {
      title: summary,
      readOnlyHint: isRead,
      destructiveHint: !isRead,
      idempotentHint: isRead || isKeyed,
    },
  }
}

/** Lists the operations of the accesses given by the names of their tools. */
export function indexOperations(accesses: Access[]): Map<string, OfferedOperation> {
  return new Map(listOfferedOperations(accesses).map(operation => [operation.id as string, operation]))
}

/** Adds the schemas that properties refer to: a tool's schema stands alone. */
function embedDefinitions(properties: Record<string, object>): Pick<InputSchema, 'properties' | '$defs'> {
  const definitions: Record<string, unknown> = {}
  const embed = (part: unknown): unknown =>
    JSON.parse(JSON.stringify(part), (key, value) => {
      if (key !== '$ref' || typeof value !== 'string') return value
      const name = value.slice('#/components/schemas/'.length)
      if (!(name in definitions)) {
        definitions[name] = {}
        definitions[name] = embed(SCHEMAS[name])
      }
      return `#/$defs/${name}`
    })
  const embedded = embed(properties) as Record<string, object>
  return Object.keys(definitions).length === 0
    ? { properties: embedded }
    : { properties: embedded, $defs: definitions }
}
