import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { findSuitesOf } from './support/suites.ts'

/**
 * `npm run one -- FILE… [options of jest]`: runs test files in the project of `jest.config.mjs` that they belong to. Jest
 * itself takes a path behind `--selectProjects` for one more project.
 */

const ROOT = join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const firstOption = args.findIndex(arg => arg.startsWith('-'))
const files = args.slice(0, firstOption < 0 ? undefined : firstOption)
const options = args.slice(files.length)

try {
  const project = findProject(files)
  const jest = fork(
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    ['--selectProjects', project, '--runTestsByPath', ...files, ...options],
    {
      execArgv: [
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        '--no-compilation-cache',
      ],
    },
  )
  const [code] = await once(jest, 'exit')
  process.exitCode = code ?? 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}

/** Finds the one project that all files belong to. */
function findProject(paths: string[]): string {
  if (paths.length === 0) throw new Error('Usage: npm run one -- FILE… [options of jest]')
  const names = new Set(paths.flatMap(findProjectsOf))
  if (names.size > 1) throw new Error(`The files belong to several projects: ${[...names].join(', ')}.`)
  return [...names][0]!
}

function findProjectsOf(path: string): string[] {
  const file = relative(ROOT, resolve(path))
  if (!existsSync(join(ROOT, file))) throw new Error(`There is no file ${path}.`)
  const names = findSuitesOf(file)
  if (names.length === 0) throw new Error(`${path} is a test of no project of jest.config.mjs.`)
  return names
}
