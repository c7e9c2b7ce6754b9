import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { marked } from 'marked'

const ROOT = join(import.meta.dirname, '../../../..')
const SDK = join(ROOT, 'sdk/typescript')
export const run = promisify(execFile)

/** Builds the package as it would be published, and installs it in a folder. */
export async function installPackage(folder: string): Promise<string> {
  const installed = join(folder, 'node_modules/@trilho/sdk')
  await mkdir(installed, { recursive: true })
  await run(process.execPath, [join(SDK, 'build.ts'), join(installed, 'dist')])
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    await cp(join(SDK, name), join(installed, name))
  return installed
}

/** The programs of the README: its receiver, and its other blocks as one program, a list of its parts. */
export async function readExamples(): Promise<{ receiver: string; parts: string[] }> {
  const tokens = marked
    .lexer(await readFile(join(SDK, 'README.md'), 'utf8'))
    .filter(({ type }) => type !== 'space')
  const blocks = tokens.flatMap((token, index) =>
    token.type === 'code' && token.lang === 'ts'
      ? [{ text: String(token.text), isProgram: tokens[index - 1]?.type === 'html' }]
      : [],
  )
  return {
    receiver: blocks.find(({ isProgram }) => isProgram)?.text ?? '',
    parts: blocks.filter(({ isProgram }) => !isProgram).map(({ text }) => text),
  }
}

/** Writes a program that imports the installed package. */
export async function writeProgram(folder: string, name: string, text: string): Promise<string> {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, name), text)
  return join(folder, name)
}
