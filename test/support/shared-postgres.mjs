// jest imports this kind of file itself, without compiling it to CommonJS, which cannot hold the ES module it exports.
export { default } from './shared-postgres.ts'
