import { invalidField } from '../errors.js';
/**
 * The table of routes: which paths there are, in which order they are tried, and which methods each one answers.
 *
 * Paths are compared exactly as written (URLs are case-sensitive, RFC 3986 section 6.2.2.1), except that one
 * trailing slash is tolerated: clients that join a base and a path by hand often leave one.
 */

export type Method = 'GET' | 'POST' | 'DELETE';

/** One method of one path and what answers it. */
export type Route<Target = unknown> = {
  readonly method: Method;
  /** With `:name` segments. */
  readonly path: string;
  /** Matches the paths of this route and captures its parameters in order. */
  readonly pattern: RegExp;
  /** Names of the `:name` segments in order. */
  readonly parameters: readonly string[];
  readonly target: Target;
};

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

const isParameter = (segment: string): boolean => segment.startsWith(':');

const escapeLiteral = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const patternOf = (segments: readonly string[]): RegExp => {
  const parts = segments.map((segment) => (isParameter(segment) ? '([^/]+)' : escapeLiteral(segment)));
  return new RegExp(`^/${parts.join('/')}/?$`);
};

/** `0` for a literal and `1` for a parameter, so that text order tries literals first at every segment. */
const rankOf = (path: string): string =>
  segmentsOf(path)
    .map((segment) => (isParameter(segment) ? '1' : '0'))
    .join('');

/** A path without the names of its parameters: two routes of one shape match the same requests. */
const shapeOf = (path: string): string => path.replace(/\/:[^/]+/g, '/:');

/** Declares a route. */
export const defineRoute = <Target>(method: Method, path: string, target: Target): Route<Target> => {
  const segments = segmentsOf(path);
  return {
    method,
    path,
    pattern: patternOf(segments),
    parameters: segments.filter(isParameter).map((segment) => segment.slice(1)),
    target,
  };
};

/**
 * Routes in the order in which they are to be tried: literal segments before parameters.
 *
 * @throws Error when two routes match the same requests, which is a defect of the program
 */
export const orderRoutes = <Target>(routes: readonly Route<Target>[]): Route<Target>[] => {
  const seen = new Map<string, string>();
  for (const { method, path } of routes) {
    const shape = `${method} ${shapeOf(path)}`;
    const other = seen.get(shape);
    if (other !== undefined)
      throw new Error(`Two routes match the same requests: ${method} ${other}, ${path}`);
    seen.set(shape, path);
  }
  return [...routes].sort((a, b) => {
    const [left, right] = [rankOf(a.path), rankOf(b.path)];
    return left < right ? -1 : left > right ? 1 : 0;
  });
};

/** The route that answers a method at a path, or null. */
export type RouteFinder<Target> = (method: string, path: string) => Route<Target> | null;

/**
 * Finds routes without trying them all: one without parameters by its text, any other among those of its method and
 * number of segments, in their order.
 */
export const routeFinder = <Target>(ordered: readonly Route<Target>[]): RouteFinder<Target> => {
  const literal = new Map<string, Route<Target>>();
  const others = new Map<string, Route<Target>[]>();
  for (const route of ordered) {
    const { method, path, parameters } = route;
    if (parameters.length === 0) literal.set(`${method} ${path}`, route);
    else {
      const key = `${method} ${segmentsOf(path).length}`;
      others.set(key, [...(others.get(key) ?? []), route]);
    }
  }
  return (asked, path) => {
    const method = asked === 'HEAD' ? 'GET' : asked;
    const exact = path.endsWith('/') ? path.slice(0, -1) : path;
    const candidates = others.get(`${method} ${segmentsOf(exact).length}`);
    return literal.get(`${method} ${exact}`) ?? candidates?.find(({ pattern }) => pattern.test(path)) ?? null;
  };
};

/** The methods that are answered at a path, `HEAD` with every `GET`; none when there is no such path. */
export const allowedMethods = (routes: readonly Route[], path: string): string[] => {
  const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
  return [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
};

/**
 * The decoded parameters of a path that a route matches.
 *
 * Read from the route's own pattern: Polka merges the parameters of every route that matches, and of two routes with
 * one parameter name the later would win.
 *
 * @throws invalid_input when a segment is not valid percent-encoded UTF-8
 */
export const pathParameters = ({ pattern, parameters }: Route, path: string): Record<string, string> => {
  const captured = pattern.exec(path)?.slice(1) ?? [];
  return Object.fromEntries(
    parameters.map((name, index) => {
      try {
        return [name, decodeURIComponent(captured[index] ?? '')];
      } catch {
        throw invalidField(name, 'is not valid percent-encoding in the path');
      }
    }),
  );
};
