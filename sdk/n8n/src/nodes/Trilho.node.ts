import { Trilho as TrilhoClient, TrilhoError } from '@trilho/sdk'
import { ACCESSES, type Access, listOfferedOperations, type OfferedOperation } from '@trilho/sdk/operations'
import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow'
import { describeProperties, namePathParameter } from './properties.ts'

const OPERATIONS = listOfferedOperations(ACCESSES)

/** A node that calls one operation of the API for each item. */
export class Trilho implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Trilho',
    name: 'trilho',
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"]}}',
    description: 'PIX: charges, refunds, transfers',
    defaults: { name: 'Trilho' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'trilhoApi', required: true }],
    properties: describeProperties(OPERATIONS),
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const { baseUrl, token, allow } = await this.getCredentials<{
      baseUrl: string
      token: string
      allow?: Access[]
    }>('trilhoApi')
    const trilho = new TrilhoClient({ baseUrl, token })
    const allowed = new Set(listOfferedOperations(allow ?? []).map(({ id }) => id))
    const results: INodeExecutionData[] = []
    for (const [itemIndex] of this.getInputData().entries()) {
      try {
        const operation = readOperation(this, itemIndex)
        if (!allowed.has(operation.id))
          throw new NodeOperationError(
            this.getNode(),
            `Nothing was sent: the credential does not allow ${operation.access}.`,
            { itemIndex },
          )
        for (const item of await callOperation(this, trilho, operation, itemIndex))
          results.push({ ...item, pairedItem: { item: itemIndex } })
      } catch (error) {
        const json = describeError(error, token)
        // Without "continue on fail" the execution ends here: later items are not sent.
        if (!this.continueOnFail())
          throw new NodeOperationError(this.getNode(), json.message, {
            itemIndex,
            description: JSON.stringify(json),
          })
        results.push({ json, pairedItem: { item: itemIndex } })
      }
    }
    return [results]
  }
}

function readOperation(functions: IExecuteFunctions, itemIndex: number): OfferedOperation {
  const id = functions.getNodeParameter('operation', itemIndex)
  const operation = OPERATIONS.find(one => one.id === id)
  if (!operation) throw new TypeError(`Nothing was sent: there is no operation ${id}.`)
  return operation
}

async function callOperation(
  functions: IExecuteFunctions,
  trilho: TrilhoClient,
  { id, parameters, body, isKeyed, accept }: OfferedOperation,
  itemIndex: number,
): Promise<Pick<INodeExecutionData, 'json' | 'binary'>[]> {
  const path = Object.fromEntries(
    parameters
      .filter(one => one.in === 'path')
      .map(({ name }) => [name, readText(functions, namePathParameter(name), itemIndex)]),
  )
  const filters = parameters.some(one => one.in === 'query')
    ? (functions.getNodeParameter('filters', itemIndex, {}) as IDataObject)
    : {}
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
  const idempotencyKey = isKeyed ? readText(functions, 'idempotencyKey', itemIndex) : undefined
  const input = {
    path,
    query,
    body: body && parseBody(functions.getNodeParameter('body', itemIndex)),
  }
  const result: unknown = await trilho.call(id, input, idempotencyKey === undefined ? {} : { idempotencyKey })
  if (result instanceof Uint8Array) {
    const file = await functions.helpers.prepareBinaryData(Buffer.from(result), id, accept)
    return [{ json: {}, binary: { data: file } }]
  }
  if (typeof result === 'string') return [{ json: { text: result } }]
  if (Array.isArray(result)) return result.map(json => ({ json }))
  const json = Object(result) as IDataObject
  return [{ json: idempotencyKey === undefined ? json : { ...json, idempotency_key: idempotencyKey } }]
}

/** Reads a text. An expression that finds nothing is refused: items would share the text "undefined". */
function readText(functions: IExecuteFunctions, name: string, itemIndex: number): string {
  const value: unknown = functions.getNodeParameter(name, itemIndex, '')
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
    throw new TypeError(`Nothing was sent: ${name} is empty.`)
  return String(value)
}

/** Parses a body. An empty one is refused: it would be an operation of its own, such as the refund of all that is left. */
function parseBody(value: unknown): object {
  const parsed: unknown = typeof value === 'string' && value.trim() !== '' ? JSON.parse(value) : value
  if (typeof parsed !== 'object' || parsed === null)
    throw new TypeError('Nothing was sent: the body must be a JSON object.')
  return parsed
}

/** Describes a failure as the data of an item; `outcome` UNKNOWN says that the operation may have been executed. */
function describeError(error: unknown, token: string): IDataObject & { message: string } {
  const text = error instanceof Error ? error.message : String(error)
  const message = text.replaceAll(token, '[token]')
  if (!(error instanceof TrilhoError)) return { message, outcome: 'FAILED' }
  const { code, status, errors, requestId, idempotencyKey, isOutcomeUnknown } = error
  return {
    message: isOutcomeUnknown
      ? `Outcome unknown: the operation may have been executed. Repeat it only with the same idempotency key and body. ${message}`
      : message,
    outcome: isOutcomeUnknown ? 'UNKNOWN' : 'FAILED',
    code,
    ...(status !== undefined && { status }),
    ...(errors && { errors }),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
  }
}
