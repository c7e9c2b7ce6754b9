/** Samples of a call by the SDKs, written as their formatters would. */

/** A request as its samples show it, made of the examples of the operation. */
export type SampledRequest = {
  /** Values of the path, in its order. */
  pathValues: string[]
  query: Record<string, unknown>
  body: Record<string, unknown>
  /** Absent where the operation accepts none. */
  idempotencyKey: string | undefined
  /** The body is a form with a file. */
  isForm: boolean
  /** The operation accepts a body, which its method takes before the options. */
  takesBody: boolean
}

const MAX_LINE_CHARS = 72

/** Builds a program of the TypeScript SDK; `call` is its resource and method, `payments.create`. */
export function buildTypeScriptSample(
  { pathValues, query, body, idempotencyKey, isForm, takesBody }: SampledRequest,
  call: string,
): string {
  const file = "{ file: new Blob([await readFile('receipt.pdf')]), name: 'receipt.pdf' }"
  const values = [
    ...pathValues.map(writeTypeScript),
    ...(isEmpty(body) ? [] : [writeObject(body, isForm ? [`attachments: [${file}]`] : [])]),
    ...(isEmpty(query) ? [] : [writeObject(query)]),
    // The options come last: what is left out before them is undefined.
    ...(idempotencyKey && takesBody && isEmpty(body) ? ['undefined'] : []),
    ...(idempotencyKey ? [writeObject({ idempotencyKey })] : []),
  ]
  return [
    ...(isForm ? ["import { readFile } from 'node:fs/promises'"] : []),
    "import { Trilho } from '@trilho/sdk'",
    '',
    "const trilho = new Trilho({ baseUrl: 'https://pix.example.com', token: 'trl_test_…' })",
    `const result = await trilho.${call}(${joinArguments(values, '  ')})`,
  ].join('\n')
}

function writeTypeScript(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(writeTypeScript).join(', ')}]`
  return typeof value === 'object' && value !== null ? writeObject(value) : String(value)
}

/** Writes an object on one line, or with a line for each field where it would be too long. */
function writeObject(value: object, more: string[] = []): string {
  const fields = [
    ...Object.entries(value).map(([name, inner]) => `${name}: ${writeTypeScript(inner)}`),
    ...more,
  ]
  const line = `{ ${fields.join(', ')} }`
  return line.length <= MAX_LINE_CHARS
    ? line
    : `{\n${fields.map(field => `${indent(field, '  ')},\n`).join('')}}`
}

/** Builds a program of the Python SDK, whose methods are those of the TypeScript SDK in snake case. */
export function buildPythonSample(
  { pathValues, query, body, idempotencyKey, isForm }: SampledRequest,
  call: string,
): string {
  const named = { ...body, ...query, ...(idempotencyKey && { idempotency_key: idempotencyKey }) }
  const values = [
    ...pathValues.map(writePython),
    ...Object.entries(named).map(([name, value]) => `${name}=${writePython(value)}`),
    ...(isForm ? ['attachments=[Path("receipt.pdf")]'] : []),
  ]
  const method = call.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return [
    ...(isForm ? ['from pathlib import Path', ''] : []),
    'from trilho import Trilho',
    '',
    'trilho = Trilho("trl_test_…", base_url="https://pix.example.com")',
    `result = trilho.${method}(${joinArguments(values, '    ')})`,
  ].join('\n')
}

function writePython(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null) return 'None'
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${writePython(inner)}`,
  )
  return `{${fields.join(', ')}}`
}

/** Writes arguments on one line, or one a line where they would be too long. */
function joinArguments(values: string[], indentation: string): string {
  const line = values.join(', ')
  if (values.length === 1 || (line.length <= MAX_LINE_CHARS && !line.includes('\n'))) return line
  return `\n${values.map(value => `${indent(value, indentation)},\n`).join('')}`
}

function indent(text: string, indentation: string): string {
  return indentation + text.replaceAll('\n', `\n${indentation}`)
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
