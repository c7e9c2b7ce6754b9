import { z } from 'zod'
import { FAILED_CHARGE_EXAMPLE } from '../../contract/charges/charge-example.ts'
import { FAILED_REFUND_EXAMPLE } from '../../contract/refunds/refund-example.ts'
import { EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'
import { errorBody, uuidSchema } from '../../contract/shared/fields.ts'
import { FAILED_TRANSFER_EXAMPLE } from '../../contract/transfers/transfer-example.ts'
import { UNRETURNED_DEPOSIT_EXAMPLE } from '../../contract/unmatched/deposit-example.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { CODE_CHANGES, CODE_OBSTACLES } from '../../domain/qr-codes/code-payment.ts'
import { TOKEN_SCOPES } from '../../domain/tokens/token-scope.ts'
import { type AnyRoute, listErrorCodes } from '../http/route-definition.ts'
import { type JsonSchema, type OpenApiComponents, referToHeaders, toPascalCase } from './components.ts'

/** Any error, for clients that read no more than its code. */
export const ANY_ERROR = errorBody
  .extend({
    data: z.unknown().optional().meta({ description: 'The resource as it is stored, where there is one' }),
  })
  .meta({ id: 'Error', description: 'Every error of the service' })

const operationReference = z
  .object({ uuid: uuidSchema.meta({ description: 'The operation; its GET shows what becomes of it' }) })
  .meta({ id: 'OperationReference' })

const allowingScopes = z
  .object({
    scopes: z.array(z.enum(TOKEN_SCOPES)).meta({ description: 'Each of them allows the operation' }),
  })
  .meta({ id: 'AllowingScopes', examples: [{ scopes: ['read', 'charges'] }] })

const codeObstacle = z
  .object({ reason: z.enum(CODE_OBSTACLES) })
  .meta({ id: 'CodeObstacle', examples: [{ reason: 'PAID' }] })
const codeChanges = z
  .object({ changed: z.array(z.enum(CODE_CHANGES)) })
  .meta({ id: 'CodeChanges', examples: [{ changed: ['value'] }] })

/** Data of errors that carry the same on every route. */
const COMMON_ERROR_DATA: Partial<Record<ErrorCode, z.ZodType>> = {
  insufficient_scope: allowingScopes,
  not_confirmed: operationReference,
  issuing: operationReference,
  qr_not_payable: codeObstacle,
  qr_changed: codeChanges,
}

/** Examples of `data`, by the name of its component. */
const DATA_EXAMPLES: Record<string, unknown> = {
  CreatedCharge: FAILED_CHARGE_EXAMPLE,
  Transfer: FAILED_TRANSFER_EXAMPLE,
  RefundResult: FAILED_REFUND_EXAMPLE,
  Deposit: UNRETURNED_DEPOSIT_EXAMPLE,
}

const STATUS_WORDS: Record<string, string> = {
  400: 'BadRequest',
  403: 'Forbidden',
  409: 'Conflict',
  422: 'Unprocessable',
  503: 'Unavailable',
}

/**
 * Describes the errors of a route: a response per status. Each code has a schema that all routes share; the codes of a
 * status whose `data` only this route sends have one together.
 */
export function describeErrors(route: AnyRoute, components: OpenApiComponents): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(listErrorCodes(route), code => String(ERROR_CATALOGUE[code].status))
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => {
      const errors = describeStatus(route, { status, codes }, components)
      const response = buildResponse({ status, codes }, errors)
      const [only] = errors
      const isShared = errors.length === 1 && only?.isShared
      return [status, isShared ? components.addResponse(only.name, response) : response]
    }),
  )
}

type StatusCodes = { status: string; codes: ErrorCode[] }
type DescribedError = {
  name: string
  codes: ErrorCode[]
  reference: JsonSchema
  examples: [code: ErrorCode, example: JsonSchema][]
  isShared: boolean
}

function buildResponse({ status, codes }: StatusCodes, errors: DescribedError[]): JsonSchema {
  const mapping = errors.flatMap(({ codes, reference }) => codes.map(code => [code, reference.$ref] as const))
  const union = {
    oneOf: errors.map(({ reference }) => reference),
    discriminator: { propertyName: 'code', mapping: Object.fromEntries(mapping) },
  }
  return {
    description: codes.map(code => `\`${code}\`: ${ERROR_CATALOGUE[code].message}`).join(' '),
    headers: {
      ...referToHeaders('X-Request-Id'),
      ...((status === '429' || status === '503') && referToHeaders('Retry-After')),
      ...(status === '401' && referToHeaders('WWW-Authenticate')),
    },
    content: {
      'application/json': {
        schema: errors.length === 1 ? errors[0]?.reference : union,
        examples: Object.fromEntries(errors.flatMap(({ examples }) => examples)),
      },
    },
  }
}

function describeStatus(
  { operationId, responses: { errorData } }: AnyRoute,
  { status, codes }: StatusCodes,
  components: OpenApiComponents,
): DescribedError[] {
  const { schema, codes: requiredCodes = [], optionalCodes = [] } = errorData ?? {}
  const isOptional = (code: ErrorCode) => optionalCodes.includes(code)
  const dataCodes = codes.filter(code => isOptional(code) || requiredCodes.includes(code))
  const sharedErrors = codes
    .filter(code => !dataCodes.includes(code))
    .map(code => describeSharedError(code, components))
  if (!schema || dataCodes.length === 0) return sharedErrors
  const [onlyCode = ''] = dataCodes.length === 1 ? dataCodes : []
  const word = onlyCode ? removeErrorSuffix(toPascalCase(onlyCode)) : STATUS_WORDS[status]
  const name = `${toPascalCase(operationId ?? '')}${word}Error`
  const errorSchema = buildErrorSchema(dataCodes, dataCodes.some(isOptional) ? schema.optional() : schema)
  const reference = components.addSchema(name, components.registerSchema(errorSchema))
  const examples = dataCodes.map((code): [ErrorCode, JsonSchema] => {
    const data = isOptional(code) ? undefined : components.registerSchema(schema)
    return [code, { value: buildErrorExample(code, data, components) }]
  })
  return [...sharedErrors, { name, codes: dataCodes, reference, examples, isShared: false }]
}

function describeSharedError(code: ErrorCode, components: OpenApiComponents): DescribedError {
  const name = `${removeErrorSuffix(toPascalCase(code))}Error`
  const data = COMMON_ERROR_DATA[code]
  const registered = components.registerSchema(buildErrorSchema([code], data))
  const reference = components.addSchema(name, { ...registered, description: ERROR_CATALOGUE[code].message })
  const example = buildErrorExample(code, data && components.registerSchema(data), components)
  return {
    name,
    codes: [code],
    reference,
    examples: [[code, components.addExample(name, example)]],
    isShared: true,
  }
}

function buildErrorSchema(codes: ErrorCode[], data: z.ZodType | undefined): z.ZodType {
  const { errors } = errorBody.shape
  return errorBody.extend({
    code: z.enum(codes),
    errors: codes.includes('validation_failed') ? errors.unwrap() : errors,
    ...(data && { data }),
  })
}

function buildErrorExample(code: ErrorCode, data: JsonSchema | undefined, components: OpenApiComponents) {
  const component = String(data?.$ref).split('/').at(-1) ?? ''
  return {
    message: ERROR_CATALOGUE[code].message,
    code,
    ...(code === 'validation_failed' && { errors: { 'splits.0.value': ['is required'] } }),
    ...(data && { data: DATA_EXAMPLES[component] ?? components.buildExample(data) }),
    request_id: EXAMPLE_UUIDS.request,
  }
}

/** Removes the suffix that every error's component has and the code internal_error already ends in. */
function removeErrorSuffix(name: string): string {
  return name.replace(/Error$/, '')
}
