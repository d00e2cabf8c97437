#include "postgresql.h"

#include <dlfcn.h>
#include <pthread.h>

// Forwards each function of libpq to the library, which is loaded on first use.

#if defined(__APPLE__)
static const char *const names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const names[] = {"libpq.so.5"};
#endif

static struct {
  PGconn *(*PQconnectdbParams)(const char *const *keywords, const char *const *values, int expand);
  PGconn *(*PQconnectdb)(const char *information);
  void (*PQfinish)(PGconn *connection);
  ConnStatusType (*PQstatus)(const PGconn *connection);
  char *(*PQerrorMessage)(const PGconn *connection);
  int (*PQsocket)(const PGconn *connection);
  PQnoticeProcessor (*PQsetNoticeProcessor)(PGconn *connection, PQnoticeProcessor processor, void *argument);
  int (*PQenterPipelineMode)(PGconn *connection);
  int (*PQexitPipelineMode)(PGconn *connection);
  int (*PQpipelineSync)(PGconn *connection);
  PGpipelineStatus (*PQpipelineStatus)(const PGconn *connection);
  int (*PQsendPrepare)(PGconn *connection, const char *name, const char *query, int count, const Oid *types);
  int (*PQsendQueryParams)(PGconn *connection, const char *query, int count, const Oid *types,
      const char *const *values, const int *lengths, const int *formats, int format);
  int (*PQsendQueryPrepared)(PGconn *connection, const char *name, int count, const char *const *values,
      const int *lengths, const int *formats, int format);
  int (*PQisBusy)(PGconn *connection);
  int (*PQconsumeInput)(PGconn *connection);
  PGnotify *(*PQnotifies)(PGconn *connection);
  void (*PQfreemem)(void *memory);
  PGresult *(*PQgetResult)(PGconn *connection);
  PGresult *(*PQexec)(PGconn *connection, const char *query);
  void (*PQclear)(PGresult *result);
  ExecStatusType (*PQresultStatus)(const PGresult *result);
  char *(*PQresultErrorMessage)(const PGresult *result);
  char *(*PQresultErrorField)(const PGresult *result, int field);
  int (*PQntuples)(const PGresult *result);
  int (*PQgetisnull)(const PGresult *result, int row, int column);
  char *(*PQgetvalue)(const PGresult *result, int row, int column);
  int (*PQgetlength)(const PGresult *result, int row, int column);
} library;

static const char *problem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *handle = NULL;
  for (size_t index = 0; handle == NULL && index < sizeof names / sizeof *names; index++) {
    handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == NULL) {
    problem = "PostgreSQL's client library, libpq 5, is not installed";
    return;
  }
  // Each field determines the type of its function.
#define LOAD(name) \
  if ((*(void **)&library.name = dlsym(handle, #name)) == NULL) problem = "libpq is older than 14: it has no " #name
  LOAD(PQconnectdbParams);
  LOAD(PQconnectdb);
  LOAD(PQfinish);
  LOAD(PQstatus);
  LOAD(PQerrorMessage);
  LOAD(PQsocket);
  LOAD(PQsetNoticeProcessor);
  LOAD(PQenterPipelineMode);
  LOAD(PQexitPipelineMode);
  LOAD(PQpipelineSync);
  LOAD(PQpipelineStatus);
  LOAD(PQsendPrepare);
  LOAD(PQsendQueryParams);
  LOAD(PQsendQueryPrepared);
  LOAD(PQisBusy);
  LOAD(PQconsumeInput);
  LOAD(PQnotifies);
  LOAD(PQfreemem);
  LOAD(PQgetResult);
  LOAD(PQexec);
  LOAD(PQclear);
  LOAD(PQresultStatus);
  LOAD(PQresultErrorMessage);
  LOAD(PQresultErrorField);
  LOAD(PQntuples);
  LOAD(PQgetisnull);
  LOAD(PQgetvalue);
  LOAD(PQgetlength);
#undef LOAD
}

const char *flow_postgresql_problem(void) {
  pthread_once(&once, load);
  return problem;
}

PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand) {
  return flow_postgresql_problem() == NULL ? library.PQconnectdbParams(keywords, values, expand) : NULL;
}
PGconn *PQconnectdb(const char *information) {
  return flow_postgresql_problem() == NULL ? library.PQconnectdb(information) : NULL;
}
void PQfinish(PGconn *connection) { library.PQfinish(connection); }
ConnStatusType PQstatus(const PGconn *connection) { return library.PQstatus(connection); }
char *PQerrorMessage(const PGconn *connection) { return library.PQerrorMessage(connection); }
int PQsocket(const PGconn *connection) { return library.PQsocket(connection); }
PQnoticeProcessor PQsetNoticeProcessor(PGconn *connection, PQnoticeProcessor processor, void *argument) {
  return library.PQsetNoticeProcessor(connection, processor, argument);
}
int PQenterPipelineMode(PGconn *connection) { return library.PQenterPipelineMode(connection); }
int PQexitPipelineMode(PGconn *connection) { return library.PQexitPipelineMode(connection); }
int PQpipelineSync(PGconn *connection) { return library.PQpipelineSync(connection); }
PGpipelineStatus PQpipelineStatus(const PGconn *connection) { return library.PQpipelineStatus(connection); }
int PQsendPrepare(PGconn *connection, const char *name, const char *query, int count, const Oid *types) {
  return library.PQsendPrepare(connection, name, query, count, types);
}
int PQsendQueryParams(PGconn *connection, const char *query, int count, const Oid *types, const char *const *values,
    const int *lengths, const int *formats, int format) {
  return library.PQsendQueryParams(connection, query, count, types, values, lengths, formats, format);
}
int PQsendQueryPrepared(PGconn *connection, const char *name, int count, const char *const *values,
    const int *lengths, const int *formats, int format) {
  return library.PQsendQueryPrepared(connection, name, count, values, lengths, formats, format);
}
int PQisBusy(PGconn *connection) { return library.PQisBusy(connection); }
int PQconsumeInput(PGconn *connection) { return library.PQconsumeInput(connection); }
PGnotify *PQnotifies(PGconn *connection) { return library.PQnotifies(connection); }
void PQfreemem(void *memory) { library.PQfreemem(memory); }
PGresult *PQgetResult(PGconn *connection) { return library.PQgetResult(connection); }
PGresult *PQexec(PGconn *connection, const char *query) { return library.PQexec(connection, query); }
void PQclear(PGresult *result) { library.PQclear(result); }
ExecStatusType PQresultStatus(const PGresult *result) { return library.PQresultStatus(result); }
char *PQresultErrorMessage(const PGresult *result) { return library.PQresultErrorMessage(result); }
char *PQresultErrorField(const PGresult *result, int field) { return library.PQresultErrorField(result, field); }
int PQntuples(const PGresult *result) { return library.PQntuples(result); }
int PQgetisnull(const PGresult *result, int row, int column) { return library.PQgetisnull(result, row, column); }
char *PQgetvalue(const PGresult *result, int row, int column) { return library.PQgetvalue(result, row, column); }
int PQgetlength(const PGresult *result, int row, int column) { return library.PQgetlength(result, row, column); }
