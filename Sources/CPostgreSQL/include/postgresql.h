#ifndef FLOW_POSTGRESQL_H
#define FLOW_POSTGRESQL_H

#include <stddef.h>

// The functions of PostgreSQL's client library, libpq, that flowrun uses. The library is loaded on first use, so a
// program that does not use a database does not need it. Names and types are those of libpq.

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;
typedef struct pgNotify {
  char *relname;
  int be_pid;
  char *extra;
  struct pgNotify *next;
} PGnotify;
typedef void (*PQnoticeProcessor)(void *argument, const char *message);

typedef enum { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;
typedef enum {
  PGRES_EMPTY_QUERY,
  PGRES_COMMAND_OK,
  PGRES_TUPLES_OK,
  PGRES_COPY_OUT,
  PGRES_COPY_IN,
  PGRES_BAD_RESPONSE,
  PGRES_NONFATAL_ERROR,
  PGRES_FATAL_ERROR,
  PGRES_COPY_BOTH,
  PGRES_SINGLE_TUPLE,
  PGRES_PIPELINE_SYNC,
  PGRES_PIPELINE_ABORTED
} ExecStatusType;
typedef enum { PQ_PIPELINE_OFF, PQ_PIPELINE_ON, PQ_PIPELINE_ABORTED } PGpipelineStatus;

/// Returns why libpq cannot be used on this machine, or null if it can. It must have returned null before any function
/// below is called.
const char *flow_postgresql_problem(void);

PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand);
PGconn *PQconnectdb(const char *information);
void PQfinish(PGconn *connection);
ConnStatusType PQstatus(const PGconn *connection);
char *PQerrorMessage(const PGconn *connection);
int PQsocket(const PGconn *connection);
PQnoticeProcessor PQsetNoticeProcessor(PGconn *connection, PQnoticeProcessor processor, void *argument);
int PQenterPipelineMode(PGconn *connection);
int PQexitPipelineMode(PGconn *connection);
int PQpipelineSync(PGconn *connection);
PGpipelineStatus PQpipelineStatus(const PGconn *connection);
int PQsendPrepare(PGconn *connection, const char *name, const char *query, int count, const Oid *types);
int PQsendQueryParams(
    PGconn *connection, const char *query, int count, const Oid *types, const char *const *values, const int *lengths,
    const int *formats, int format);
int PQsendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
    int format);
int PQisBusy(PGconn *connection);
int PQconsumeInput(PGconn *connection);
PGnotify *PQnotifies(PGconn *connection);
void PQfreemem(void *memory);
PGresult *PQgetResult(PGconn *connection);
PGresult *PQexec(PGconn *connection, const char *query);
void PQclear(PGresult *result);
ExecStatusType PQresultStatus(const PGresult *result);
char *PQresultErrorMessage(const PGresult *result);
char *PQresultErrorField(const PGresult *result, int field);
int PQntuples(const PGresult *result);
int PQgetisnull(const PGresult *result, int row, int column);
char *PQgetvalue(const PGresult *result, int row, int column);
int PQgetlength(const PGresult *result, int row, int column);

#endif
