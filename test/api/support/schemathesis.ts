import { installPythonPackages } from '../../support/python-packages.ts'

/** Property-based tests of an OpenAPI document: a Python program, installed once where a Python exists. */

const VERSION = '4.32.5'
const MODULE = 'schemathesis.cli'

export type Program = { kind: 'there'; command: string[] } | { kind: 'missing'; why: string }

/** The program in this machine's cache, installed into a virtual environment of its own at its first use. */
export async function installSchemathesis(): Promise<Program> {
  const installed = await installPythonPackages({
    name: `schemathesis-${VERSION}`,
    requirements: [`schemathesis==${VERSION}`],
    module: MODULE,
  })
  return installed.kind === 'missing'
    ? installed
    : { kind: 'there', command: [installed.python, '-m', MODULE] }
}
