import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { installSdkPackages } from '../support/python-packages.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** The Python SDK (sdk/python): its own tests, among them the programs of its README against a running Trilho. */

const installed = await installSdkPackages()
if (installed.kind === 'missing') process.stdout.write(`The Python SDK is not tested: ${installed.why}\n`)

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

test('its tests pass, and the programs of its README run against a running Trilho', async () => {
  const merchant = await stack.createMerchant({ providers: [{ balance: 100 }] })
  await expectSuccess(['-m', 'pytest', '-rs'], {
    TRILHO_BASE_URL: stack.local.api_url,
    TRILHO_TOKEN: merchant.token,
    SIMULATOR: stack.local.simulator_url,
    INBOX: stack.local.inbox_url,
    CA: stack.home.simulatorCa,
  })
})

test.each([
  ['its generated modules are those of openapi.json', ['-m', 'generator', 'python', '--check']],
  ['its types are complete and right', ['-m', 'mypy']],
  ['its code has no complaint of the linter', ['-m', 'ruff', 'check', '--no-cache']],
  ['its code is formatted', ['-m', 'ruff', 'format', '--check', '--no-cache']],
])('%s', (_what, args) => expectSuccess(args))

/** Runs Python in the folder of the SDK; what it prints is the message of a failure. */
async function expectSuccess(args: string[], environment: Record<string, string> = {}): Promise<void> {
  if (installed.kind === 'missing') return
  const { python } = installed
  const { cacheHome, environment: own } = readLocalConfig()
  const result = await new Promise<{ code: number | string; output: string }>(resolve => {
    execFile(
      python,
      args,
      {
        cwd: join(import.meta.dirname, '../../sdk/python'),
        env: {
          ...own,
          PYTHONDONTWRITEBYTECODE: '1',
          MYPY_CACHE_DIR: join(cacheHome, 'trilho', 'mypy'),
          ...environment,
        },
      },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: `${stdout}${stderr}` }),
    )
  })
  if (result.code !== 0) throw new Error(result.output)
  expect(result.output).not.toContain('SKIPPED')
}
