import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './documents.ts'

/** What the type checker and the programs of the tests read. */
const COPIED = [
  'src',
  'packages',
  'test',
  'docs',
  'deploy',
  'sdk/typescript',
  'tsconfig.json',
  'package.json',
  'openapi.json',
  'jest.config.mjs',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
]
const INSTALLED = ['node_modules', 'sdk/typescript/node_modules']
/** Installed, built, or large and read by no program of a copy. */
const LEFT_OUT = /(^|\/)(node_modules|dist|__pycache__|\.trilho)$|^test\/replay\/histories$/

const run = promisify(execFile)

export type RepositoryCopy = Awaited<ReturnType<typeof copyRepository>>

/** Copies the sources into a new temporary folder, with the installed packages of this repository. */
export async function copyRepository() {
  const folder = await mkdtemp(join(tmpdir(), 'trilho-copy-'))
  const filter = (path: string) => !LEFT_OUT.test(relative(ROOT, path))
  for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true, filter })
  for (const name of INSTALLED) await symlink(join(ROOT, name), join(folder, name))
  const original = await hashFiles(folder)

  const read = (file: string) => readFile(join(folder, file), 'utf8')
  const runNode = (args: string[]) =>
    run(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
  return {
    read,
    async write(file: string, text: string): Promise<void> {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), text)
    },
    remove: (file: string) => rm(join(folder, file)),
    /** Runs a program of the copy and returns what it prints. */
    runProgram: async (file: string) => (await runNode([file])).stdout,
    /** Checks the types of all files; what did not change since the last check is not checked again. */
    async listTypeErrors(): Promise<string[]> {
      const state = join(folder, 'node_modules.tsbuildinfo')
      const options = ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', state]
      const { stdout } = await runNode(['node_modules/typescript/bin/tsc', ...options]).catch(
        (error: { stdout: string }) => error,
      )
      return stdout.split('\n').filter(line => /^\S.*: error /.test(line))
    },
    /** Lists the files that were added or changed since the copy was made, by their paths. */
    async listChangedFiles(): Promise<string[]> {
      const now = await hashFiles(folder)
      const files = new Set([...original.keys(), ...now.keys()])
      return [...files].filter(file => original.get(file) !== now.get(file)).sort()
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

async function hashFiles(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const name of COPIED.filter(one => !one.includes('.'))) {
    const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true })
    for (const entry of entries.filter(one => one.isFile())) {
      const path = join(entry.parentPath, entry.name)
      files.set(relative(folder, path), hash('sha256', await readFile(path)))
    }
  }
  return files
}
