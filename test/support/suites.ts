import { matchesGlob } from 'node:path'
import jestConfig from '../../jest.config.mjs'

type Project = { displayName: string; testMatch: string[]; testPathIgnorePatterns?: string[] }

/** Finds the suites, projects of `jest.config.mjs`, that run a test file, by its path from the root of the repository. */
export function findSuitesOf(file: string): string[] {
  const fromRoot = (pattern: string) => pattern.replace('<rootDir>/', '')
  return (jestConfig.projects as Project[])
    .filter(
      ({ testMatch, testPathIgnorePatterns = [] }) =>
        testMatch.some(glob => matchesGlob(file, fromRoot(glob))) &&
        !testPathIgnorePatterns.some(pattern => new RegExp(fromRoot(pattern)).test(file)),
    )
    .map(({ displayName }) => displayName)
}
