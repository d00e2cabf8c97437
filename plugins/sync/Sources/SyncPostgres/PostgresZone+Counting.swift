#if Network
  import FlowPostgres
  import SyncCore
  import SyncEngine

  /// Counts the records of collections. A trigger updates the counts when records are added or removed. Records need
  /// not be read to count them, and several servers cannot exceed a limit together.
  extension PostgresZone {
    /// The statements that create the trigger and once count the existing records. A record beyond the limit causes a
    /// division by zero, which rolls back its commit. When the commit is decided again, the operation is refused.
    static let counting = [
      """
      CREATE OR REPLACE FUNCTION sync_count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
          UPDATE sync_collection SET records = records - 1 WHERE zone = OLD.zone AND type = OLD.type;
        ELSE
          INSERT INTO sync_collection VALUES (NEW.zone, NEW.type, 1) ON CONFLICT (zone, type) DO UPDATE SET records =
            CASE WHEN sync_collection.records < coalesce(sync_collection.most, 9223372036854775807)
            THEN sync_collection.records + 1 ELSE 1 / (sync_collection.records - sync_collection.records) END;
        END IF;
        RETURN NULL;
      END $$
      """,
      """
      DO $$ BEGIN
        IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'sync_counted' AND tgrelid = 'sync_record'::regclass) THEN
          LOCK TABLE sync_record IN SHARE ROW EXCLUSIVE MODE;
          INSERT INTO sync_collection SELECT zone, type, count(*) FROM sync_record GROUP BY zone, type
            ON CONFLICT (zone, type) DO UPDATE SET records = excluded.records;
          CREATE TRIGGER sync_counted AFTER INSERT OR DELETE ON sync_record FOR EACH ROW EXECUTE FUNCTION sync_count();
        END IF;
      END $$
      """,
    ].map { PostgresStatement(sql: $0, parameters: []) }

    static func count(_ type: String, zone: String, _ connection: ZoneConnection) throws(BackendError) -> Int {
      let rows = try connection.run(
        "SELECT records FROM sync_collection WHERE zone = $1 AND type = $2", [.text(zone), .text(type)])
      return rows.count == 0 ? 0 : Int(rows.integer(0, 0))
    }

    /// Returns the statement that makes PostgreSQL enforce a collection's limit, or nil if the collection has no limit.
    static func limit(_ rules: ZoneRules, zone: String) -> PostgresStatement? {
      rules.limit.map { limit in
        PostgresStatement(
          sql: """
            INSERT INTO sync_collection VALUES ($1, $2, 0, $3::int8) ON CONFLICT (zone, type) DO UPDATE SET most = excluded.most
            """, parameters: [.text(zone), .text(rules.collection), .integer(Int64(limit))])
      }
    }
  }
#endif
