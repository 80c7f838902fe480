/** Serves the built web page from a folder: files of known kinds, no listing, nothing outside of it. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import serveStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Anything else is a mistyped API path and gets a problem document. */
const SERVED = new Set([
  '.html',
  '.js',
  '.css',
  '.json',
  '.map',
  '.webmanifest',
  '.svg',
  '.png',
  '.ico',
  '.txt',
  '.woff2',
])

const PAGE_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const NOT_BUILT =
  '<!doctype html><title>Drover</title><p>The web page is not built: run <code>npm run build -w packages/dashboard</code>. The API is at <a href="/openapi.json">/openapi.json</a>.'

/** The page itself contains no data. It requests what it shows, with a key if there are keys. */
const OPEN = { config: { scope: null } }

export function registerDashboard(server: FastifyInstance, dir: string | null): void {
  const root = dir !== null && existsSync(join(dir, 'index.html')) ? realpathSync(dir) : null
  if (root !== null) server.register(serveStatic, { root, serve: false, cacheControl: false, setHeaders })
  server.get('/', OPEN, (_request, reply) => {
    if (root !== null) return reply.sendFile('index.html')
    setHeaders(reply, 'index.html')
    return reply.type('text/html; charset=utf-8').send(NOT_BUILT)
  })
  server.get<{ Params: { '*': string } }>('/*', OPEN, (request, reply) => {
    const path = request.params['*']
    if (root === null || !SERVED.has(extname(path)) || !isWithin(root, path)) return reply.callNotFound()
    return reply.sendFile(path)
  })
}

/**
 * Files under `assets/` carry a digest in their name and never change; the page that names them must be fetched again.
 */
function setHeaders(reply: FastifyReply, path: string): void {
  const isHashed = basename(dirname(path)) === 'assets'
  reply.header('content-security-policy', PAGE_POLICY)
  reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (extname(path) === '.js') reply.type('text/javascript; charset=utf-8')
}

/** The plugin stops `..` from leaving the folder, but follows links. */
function isWithin(root: string, path: string): boolean {
  const file = join(root, path)
  return !path.includes('\0') && existsSync(file) && realpathSync(file).startsWith(root + sep)
}
