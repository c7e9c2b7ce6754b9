import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Checks the service's responses against its own `/openapi.json`. */
export type Contract = ReturnType<typeof createContract>

type Document = {
  paths: Record<string, Record<string, DescribedOperation>>
  components?: { responses?: Record<string, DescribedResponse> }
}
type DescribedOperation = {
  parameters?: { name: string }[]
  responses: Record<string, DescribedResponse>
}
type DescribedResponse = { $ref?: string; content?: Record<string, unknown> }

export type ContractResponse = {
  method: string
  /** With its query. */
  path: string
  status: number
  headers: Headers
  body: unknown
}

/** Throws a sentence where a response is not what the document promises: its status, its media type, its shape. */
export function createContract(document: unknown) {
  const { paths, components } = document as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document as object, 'openapi')
  const templates = Object.keys(paths).map(path => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    variables: path.split('{').length,
  }))
  templates.sort((a, b) => a.variables - b.variables)

  return {
    document,
    /** Whether a request may carry an Idempotency-Key. */
    acceptsKey(method: string, path: string): boolean {
      const { operation } = find(method, path)
      return operation?.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
    },
    check(said: ContractResponse): void {
      const { path, known, operation } = find(said.method, said.path)
      const where = `${said.method} ${said.path} answered ${said.status}`
      if (!known || !operation) {
        const expected = known ? 405 : 404
        if (!/^\/(api\/|\w+z$)/.test(path)) return // Not part of the merchant API: notifications, pages.
        // Under webhooks the token is checked first, whatever the path names.
        const first = /^\/api\/v1\/webhooks(\/|$)/.test(path) ? [401, 403] : []
        if (![expected, ...first].includes(said.status))
          throw new Error(`${where}, where only ${expected} is known`)
        fits('#/components/schemas/Error', where, said.body)
        return
      }
      const described = operation.responses[said.status]
      if (!described) throw new Error(`${where}, which /openapi.json does not know`)
      const shared = described.$ref?.split('/').at(-1)
      const { content } = shared === undefined ? described : (components?.responses?.[shared] ?? {})
      const media = (said.headers.get('content-type') ?? '').split(';')[0]!
      if (!content?.[media]) throw new Error(`${where} as ${media}, which /openapi.json does not know`)
      if (!media.includes('json')) return
      const steps =
        shared === undefined
          ? ['paths', known.path, said.method.toLowerCase(), 'responses', String(said.status)]
          : ['components', 'responses', shared]
      fits(jsonPointerOf([...steps, 'content', media, 'schema']), where, said.body)
    },
  }

  function find(method: string, pathWithQuery: string) {
    const path = new URL(pathWithQuery, 'http://any').pathname
    const known = templates.find(({ pattern }) => pattern.test(path))
    return { path, known, operation: known && paths[known.path]?.[method.toLowerCase()] }
  }

  function fits(schema: string, where: string, body: unknown): void {
    const validate = ajv.getSchema(`openapi${schema}`) ?? ajv.compile({ $ref: `openapi${schema}` })
    if (validate(body)) return
    throw new Error(`${where} in a shape that /openapi.json does not describe:
${ajv.errorsText(validate.errors, { separator: '\n' })}\n${JSON.stringify(body, null, 1)}`)
  }
}

function jsonPointerOf(steps: string[]): string {
  const escaped = steps.map(step => step.replaceAll('~', '~0').replaceAll('/', '~1'))
  return `#/${escaped.map(encodeURIComponent).join('/')}`
}
