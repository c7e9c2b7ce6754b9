import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.temporal.internal.testservice.GRPCServerHelper;
import io.temporal.internal.testservice.TestServicesStarter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Temporal's time-skipping test server on loopback only: its own main class listens on every interface. */
public final class LoopbackTestServer {
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    boolean skipping = List.of(arguments).contains("--enable-time-skipping");
    TestServicesStarter services = new TestServicesStarter(!skipping, 0L);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
    GRPCServerHelper.registerServicesAndHealthChecks(services.getServices(), builder);
    Server server = builder.build().start();
    // A test run that was killed must not leave its server behind.
    ProcessHandle.current().parent().ifPresent(it -> it.onExit().thenRun(() -> Runtime.getRuntime().halt(0)));
    server.awaitTermination();
  }
}
