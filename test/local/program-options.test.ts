import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

/** Programs document their options, refuse all others before they start, and load what they need. */

const root = join(import.meta.dirname, '../..')

function runProgram(
  { program, preload, environment }: { program: string; preload?: string; environment?: NodeJS.ProcessEnv },
  ...words: string[]
): Promise<{ code: number; out: string; complaint: string }> {
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [...(preload ? ['--import', `./${preload}`] : []), program, ...words],
      { cwd: root, ...(environment && { env: { ...process.env, ...environment } }) },
      (error, out, complaint) => resolve({ code: error ? Number(error.code) : 0, out, complaint }),
    )
  })
}

test.each<[program: string, options: string[]]>([
  ['bench', ['--only', '--seconds', '--rows', '--charges', '--temporal', '--json']],
  ['chaos', ['--seed', '--operations', '--time-scale', '--twofold', '--keep']],
])('%s --help lists every option', async (program, options) => {
  const { code, out } = await runProgram({ program: `test/${program}/main.ts` }, '--help')
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
  const { code, out, complaint } = await runProgram({ program: `test/${program}/main.ts` }, option, value)
  expect(code).toBe(1)
  expect(complaint).toMatch(new RegExp(`^error: option '${option} <`))
  expect(complaint).not.toContain('.ts:')
  expect(out).toBe('')
})

/** Runs a program; `packages` and `files` are what it has loaded. */
async function runWithReport(program: string, words: string[], environment?: NodeJS.ProcessEnv) {
  const preload = 'test/local/programs/report-modules.ts'
  const ended = await runProgram({ program, preload, ...(environment && { environment }) }, ...words)
  const lines = ended.complaint.trim().split('\n')
  const { packages, files } = JSON.parse(lines.at(-1)!) as Record<'packages' | 'files', string[]>
  return { ...ended, packages, files }
}
const runTrilho = (...words: string[]) => runWithReport('packages/dev/trilho.ts', words)

test('trilho --version prints the version of the package, and --help every command; neither loads a command', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [printed, help] = await Promise.all([runTrilho('--version'), runTrilho('--help')])
  expect(printed).toMatchObject({ code: 0, out: `${version}\n` })
  for (const command of ['check-ledger', 'settle', 'account', 'token', 'listen', 'trigger'])
    expect(help.out).toMatch(new RegExp(`^  ${command} .*\\w`, 'm'))
  for (const { packages, files } of [printed, help]) {
    expect(packages).toEqual(['commander'])
    expect(files).toEqual([
      'packages/dev/commands.ts',
      'packages/dev/trilho.ts',
      'src/cli/api-client.ts',
      'src/cli/command-context.ts',
      'src/cli/program.ts',
    ])
  }
})

test.each<[words: string, file: string, absent: string[]]>([
  ['help token', 'src/cli/tokens.ts', ['@temporalio/client', 'undici', 'zod']],
  ['listen --help', 'src/cli/listen.ts', ['@temporalio/client', '@mikro-orm/core', 'zod']],
  ['trigger --help', 'packages/dev/trigger/trigger.ts', ['@temporalio/client', '@mikro-orm/core', 'zod']],
])('trilho %s loads the module of that command alone', async (words, file, absent) => {
  const { code, out, packages, files } = await runTrilho(...words.split(' '))
  expect(code).toBe(0)
  expect(out).toMatch(/^Usage: trilho \w+ /)
  expect(files).toContain(file)
  expect(files).not.toContain('src/cli/reconciliation.ts')
  expect(packages.filter(name => absent.includes(name))).toEqual([])
})

test('npm start, which supervises for as long as it runs, loads no library of the database, the API or the providers', async () => {
  const { code, complaint, packages } = await runWithReport('packages/dev/start.ts', [], { PORT: 'none' })
  expect(code).toBe(1)
  expect(complaint).toContain('PORT')
  const heavy = ['@mikro-orm/core', 'kysely', 'pg', 'koa', 'undici', 'pino', '@temporalio/worker']
  expect(packages.filter(name => heavy.includes(name))).toEqual([])
})
