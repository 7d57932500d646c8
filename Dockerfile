# syntax=docker/dockerfile:1
# The service with its own PostgreSQL, or with yours (DATABASE_URL). See docs/deploy.md.

FROM node:26-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools ./tools
COPY console/package.json ./console/package.json
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY console ./console
RUN npm run -s build

FROM node:26-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools ./tools
# Without the packages that build the console.
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund
# The image has a Node.js of its own; the one among the packages is not needed.
RUN rm -rf node_modules/node-linux-* && node tools/after-install.mjs

FROM node:26-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
RUN install -d -o node -g node /data && ln -s /app/bin/shelfwire.mjs /usr/local/bin/shelfwire
COPY package.json LICENSE ./
COPY bin ./bin
COPY migrations ./migrations
COPY reference-data ./reference-data
COPY sample ./sample
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/console/dist ./console/dist
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/shelfwire.mjs"]
CMD ["serve", "--no-demo"]
