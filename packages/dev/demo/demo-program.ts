import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { DemoResult } from './demo.ts'

/** How a program is run. */
export type ProgramPlan = { command: string; args: string[]; env: NodeJS.ProcessEnv; cwd: string }

/**
 * Runs the program that sets up the demo account, and returns what it prints. It is a process of its own because it needs the
 * modules of the database, whose memory the start would keep for as long as it supervises.
 */
export async function runDemoProgram(
  { command, args, env, cwd }: ProgramPlan,
  abort: AbortSignal,
): Promise<DemoResult> {
  const ended = await promisify(execFile)(command, args, { env, cwd, signal: abort }).catch(error => {
    abort.throwIfAborted()
    throw new Error(`The demo account cannot be set up:\n${error.stdout}${error.stderr}`.trimEnd())
  })
  // A line of its log may precede the result, which alone has a line of one brace.
  return JSON.parse(ended.stdout.slice(ended.stdout.lastIndexOf('\n{\n') + 1))
}
