import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

/** The programs of the tests document their options, and refuse all others before they start. */

const root = join(import.meta.dirname, '../..')

function runProgram(
  program: string,
  ...words: string[]
): Promise<{ code: number; out: string; complaint: string }> {
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [`test/${program}/main.ts`, ...words],
      { cwd: root },
      (error, out, complaint) => resolve({ code: error ? Number(error.code) : 0, out, complaint }),
    )
  })
}

test.each<[program: string, options: string[]]>([
  ['bench', ['--only', '--seconds', '--rows', '--charges', '--temporal', '--json']],
  ['chaos', ['--seed', '--operations', '--time-scale', '--twofold', '--keep']],
])('%s --help lists every option', async (program, options) => {
  const { code, out } = await runProgram(program, '--help')
  expect(code).toBe(0)
  for (const option of options) expect(out).toContain(option)
})

test.each<[program: string, option: string, value: string]>([
  ['bench', '--charges', 'abc'],
  ['bench', '--seconds', '0'],
  ['bench', '--only', 'lists,nothing'],
  ['bench', '--temporal', 'mysql'],
  ['chaos', '--operations', 'abc'],
  ['chaos', '--time-scale', '-1'],
  ['chaos', '--seed', '1.5'],
])('%s %s %s is refused at once', async (program, option, value) => {
  const { code, out, complaint } = await runProgram(program, option, value)
  expect(code).toBe(1)
  expect(complaint).toMatch(new RegExp(`^error: option '${option} <`))
  expect(complaint).not.toContain('.ts:')
  expect(out).toBe('')
})
