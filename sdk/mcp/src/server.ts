import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { JsonSchemaType } from '@modelcontextprotocol/sdk/validation/types.js'
import { type Trilho, TrilhoError, VERSION } from '@trilho/sdk'
import type { Access, OfferedOperation } from '@trilho/sdk/operations'
import { describeTool, indexOperations } from './tools.ts'

export type ServerOptions = {
  /** The token of the client: it is removed from every text that the server sends. */
  token: string
  /** What the tools may change; `read` is always allowed. */
  accesses: Access[]
}

type Arguments = Record<string, unknown>

const INSTRUCTIONS =
  'Tools of Trilho, a PIX payments engine. Values are reais. A call that moves money takes an idempotency_key: choose one for each operation that the user wants, and keep it. Where an outcome is unknown, never send the operation under another key; read the resource, or repeat the call with the same key and arguments.'

/** Creates the server. Each tool is one operation of the API, called through the SDK. */
export function createMcpServer(trilho: Trilho, { token, accesses }: ServerOptions): Server {
  const operations = indexOperations(accesses)
  const tools = new Map([...operations].map(([name, operation]) => [name, describeTool(operation)]))
  const validators = new AjvJsonSchemaValidator()
  // Of this process: the key of each operation whose outcome is unknown, by its name and arguments.
  const unknownOutcomes = new Map<string, string>()
  const show = (value: unknown) => JSON.stringify(value, null, 2).replaceAll(token, '[token]')

  const server = new Server(
    { name: 'trilho', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.values()] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const { name, arguments: values = {} } = params
    const [operation, tool] = [operations.get(name), tools.get(name)]
    if (!operation || !tool)
      return refuse(show(`There is no tool ${name}, or this server is not allowed to use it.`))
    const { valid, errorMessage } = validators.getValidator(tool.inputSchema as JsonSchemaType)(values)
    if (!valid) return refuse(show(`Nothing was sent. Invalid arguments: ${errorMessage}`))
    return callOperation(operation, values, signal)
  })
  return server

  async function callOperation(
    operation: OfferedOperation,
    { idempotency_key, ...values }: Arguments,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const key = operation.isKeyed ? String(idempotency_key) : undefined
    const content = `${operation.id} ${JSON.stringify(sortNames(values))}`
    const earlierKey = unknownOutcomes.get(content)
    if (key !== undefined && earlierKey !== undefined && earlierKey !== key)
      return refuse(
        show({
          message:
            'Nothing was sent: the outcome of the same operation under another key is unknown. Repeat it with that key.',
          idempotency_key: earlierKey,
        }),
      )
    const path: Record<string, string> = {}
    const query: Arguments = {}
    for (const parameter of operation.parameters) {
      const value = values[parameter.name]
      if (value === undefined) continue
      if (parameter.in === 'path') path[parameter.name] = String(value)
      else query[parameter.name] = value
    }
    try {
      const input = { path, query, body: values.body as object | undefined }
      const options = key === undefined ? { signal } : { signal, idempotencyKey: key }
      const result: unknown = await trilho.call(operation.id, input, options)
      unknownOutcomes.delete(content)
      return present(operation, result, key)
    } catch (error) {
      // The client refuses a path or a key with a TypeError, before it sends anything.
      if (error instanceof TypeError) return refuse(show(`Nothing was sent. ${error.message}`))
      if (!(error instanceof TrilhoError))
        throw new Error('The server has failed: an error that is not of the API.')
      const { code, status, message, requestId, errors, data, retryAfterMs } = error
      const isSettled = error.isReplayed || status === 400 || status === 422
      const isOutcomeUnknown = error.isOutcomeUnknown || (earlierKey !== undefined && !isSettled)
      if (key !== undefined && isOutcomeUnknown) unknownOutcomes.set(content, key)
      else unknownOutcomes.delete(content)
      return refuse(
        show({
          outcome: isOutcomeUnknown ? 'UNKNOWN' : 'FAILED',
          ...(isOutcomeUnknown && { what_to_do: describeRepeat(key) }),
          idempotency_key: key,
          code,
          status,
          message,
          errors,
          data,
          request_id: requestId,
          retry_after_ms: retryAfterMs,
        }),
      )
    }
  }

  function present({ accept }: OfferedOperation, result: unknown, key: string | undefined): CallToolResult {
    if (result instanceof Uint8Array) {
      const data = Buffer.from(result).toString('base64')
      return accept === 'image/png'
        ? { content: [{ type: 'image', data, mimeType: accept }] }
        : { content: [{ type: 'resource', resource: { uri: 'trilho:file', mimeType: accept, blob: data } }] }
    }
    if (typeof result === 'string')
      return { content: [{ type: 'text', text: result.replaceAll(token, '[token]') }] }
    return {
      content: [{ type: 'text', text: show(key === undefined ? result : { idempotency_key: key, result }) }],
    }
  }
}

function describeRepeat(key: string | undefined): string {
  return key === undefined
    ? 'The operation may have been executed. Read the resource before anything else.'
    : 'The operation may have been executed. Never send it under another key: repeat the call with this idempotency_key and the same arguments, or read the resource.'
}

/** A result that says why nothing, or nothing certain, has happened. */
function refuse(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** Sorts the names of all objects, so that the same content has the same text. */
function sortNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortNames)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, one]) => [name, sortNames(one)]))
}
